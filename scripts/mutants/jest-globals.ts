// What a test file gets for `@jest/globals`: the same words, by which its tests are kept to be run one by one.
import { createRequire } from 'node:module';
import type { expect as Expect } from '@jest/globals';

const own = createRequire(createRequire(import.meta.url).resolve('@jest/globals'));
/** Jest's own. */
export const expect: typeof Expect = own('expect').expect;

type Work = () => unknown;

/** The hooks of a `describe`, or of a file. */
interface Block {
  beforeAll: Work[];
  beforeEach: Work[];
  afterEach: Work[];
}

/** A test of a file that was loaded, with the blocks around it, the outermost first. */
export interface KeptTest {
  name: string;
  work: Work;
  blocks: Block[];
}

let blocks: Block[] = [];
let kept: KeptTest[] = [];

const newBlock = (): Block => ({ beforeAll: [], beforeEach: [], afterEach: [] });
const hook = (kind: keyof Block) => (work: Work) => blocks.at(-1)?.[kind].push(work);

export const beforeAll = hook('beforeAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
/** The process is ended instead. */
export const afterAll = () => {};

function block(_: string, fill: Work): void {
  const around = blocks;
  blocks = [...around, newBlock()];
  fill();
  blocks = around;
}

function keep(name: string, work: Work): void {
  kept.push({ name, work, blocks });
}

/** `test.each`: where all rows are lists, each has all of the arguments. */
function each(one: (name: string, work: Work) => void) {
  return (rows: readonly unknown[]) =>
    (name: string, work: (...row: unknown[]) => unknown): void => {
      const areLists = rows.every(Array.isArray);
      for (const row of rows) one(name, () => work(...(areLists ? (row as unknown[]) : [row])));
    };
}

export const describe = Object.assign(block, { each: each(block), skip: () => {} });
export const test = Object.assign(keep, { each: each(keep), skip: () => {} });
export const it = test;

/** The tests that a file has, in their order. */
export async function testsOf(load: () => Promise<unknown>): Promise<KeptTest[]> {
  blocks = [newBlock()];
  kept = [];
  await load();
  return kept;
}

/** Does what has to be done once before a test, if it is not done yet. */
export async function prepare({ blocks }: KeptTest): Promise<void> {
  for (const { beforeAll } of blocks) for (const work of beforeAll.splice(0)) await work();
}

/** @throws what the test throws */
export async function runTest({ blocks, work }: KeptTest): Promise<void> {
  for (const { beforeEach } of blocks) for (const before of beforeEach) await before();
  try {
    await work();
  } finally {
    for (const { afterEach } of blocks.toReversed()) for (const after of afterEach) await after();
  }
}
