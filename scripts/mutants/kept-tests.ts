type Work = () => unknown;

/** A `describe`, or a file. */
interface Block {
  around: Block | undefined;
  hooks: Record<'beforeAll' | 'afterAll' | 'beforeEach' | 'afterEach', Work[]>;
  isPrepared: boolean;
}

/** A test of a file that was loaded. */
export interface KeptTest {
  name: string;
  work: Work;
  block: Block;
}

let block = newBlock(undefined);
let kept: KeptTest[] = [];

function newBlock(around: Block | undefined): Block {
  return { around, hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] }, isPrepared: false };
}

/** The tests that a file has, in their order. */
export async function testsOf(load: () => Promise<unknown>): Promise<KeptTest[]> {
  block = newBlock(undefined);
  kept = [];
  await load();
  return kept;
}

export function describe(_: string, fill: Work): void {
  const around = block;
  block = newBlock(around);
  fill();
  block = around;
}

export function keep(name: string, work: Work): void {
  kept.push({ name, work, block });
}

export function hook(kind: keyof Block['hooks']) {
  return (work: Work): void => {
    block.hooks[kind].push(work);
  };
}

/** `test.each`: where all rows are lists, each has all of the arguments. */
export function each(one: (name: string, work: Work) => void) {
  return (rows: readonly unknown[]) =>
    (name: string, work: (...row: unknown[]) => unknown): void => {
      const areLists = rows.every(Array.isArray);
      for (const row of rows) one(name, () => work(...(areLists ? (row as unknown[]) : [row])));
    };
}

function blocksAround({ block }: KeptTest): Block[] {
  const blocks: Block[] = [];
  for (let one: Block | undefined = block; one !== undefined; one = one.around) blocks.unshift(one);
  return blocks;
}

/** Does what has to be done once before a test. What it makes is kept: the next mutation finds it there. */
export async function prepare(test: KeptTest): Promise<void> {
  for (const one of blocksAround(test)) {
    if (one.isPrepared) continue;
    one.isPrepared = true;
    for (const work of one.hooks.beforeAll) await work();
  }
}

/** @throws what the test throws */
export async function runTest(test: KeptTest): Promise<void> {
  const blocks = blocksAround(test);
  for (const { hooks } of blocks) for (const work of hooks.beforeEach) await work();
  try {
    await test.work();
  } finally {
    for (const { hooks } of blocks.toReversed()) for (const work of hooks.afterEach) await work();
  }
}
