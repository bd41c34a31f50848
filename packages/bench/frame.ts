/** What a bench is given; the README says what each means to it. */
export interface Options {
  n?: number;
  rounds?: number;
  seconds?: number;
  rate?: number;
}

/** Calls `close` when the measurement has ended, the last one first. */
export type AtEnd = (close: () => unknown) => void;
export type Bench = (options: Options, atEnd: AtEnd) => Promise<Figure[]>;

export async function ending<Result>(work: (atEnd: AtEnd) => Promise<Result>): Promise<Result> {
  const closes: (() => unknown)[] = [];
  try {
    return await work((close) => closes.unshift(close));
  } finally {
    for (const close of closes) await close();
  }
}

/** One line of a bench's result. */
export interface Figure {
  what: string;
  /** With its unit. */
  measured: string;
  /** Absent for a figure that only explains. */
  aim?: string;
  isMet?: boolean;
  /** The aim is about what comes out, not about what it takes: a test fails if it is missed. */
  isResult?: true;
}

/** @param limit the aim: at most so much */
export function figure(what: string, value: number, unit = '', limit?: number): Figure {
  const measured = `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)}${unit}`;
  if (limit === undefined) return { what, measured };
  return { what, measured, aim: `at most ${Number(limit.toFixed(2))}${unit}`, isMet: value <= limit };
}

/** A figure of what comes out. @param limit the aim: at most so many */
export function result(what: string, value: number, limit = 0): Figure {
  return { ...figure(what, value, '', limit), isResult: true };
}

/** @throws Error unless something is as it must be, however long it took */
export function mustBe(what: string, is: unknown, expected: unknown): void {
  if (is !== expected) throw new Error(`${what}: ${String(is)}, not ${String(expected)}`);
}

/** Figures as aligned lines. */
export function figuresText(figures: readonly Figure[]): string {
  const width = Math.max(...figures.map(({ what }) => what.length));
  const lines = figures.map(({ what, measured, aim, isMet }) => {
    const verdict = aim === undefined ? '' : `   ${isMet ? 'met' : 'MISSED'}: ${aim}`;
    return `${what.padEnd(width)}  ${measured.padStart(10)}${verdict}`;
  });
  return `${lines.join('\n')}\n`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** The value that this part of all does not exceed. */
export function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1] ?? Number.NaN;
}

/**
 * Measures sides in turn, so that other load on the machine affects all of them. Every second round reverses the order.
 *
 * @returns the results of each side, by round
 */
export async function inTurn<Side extends string, Result>(
  rounds: number,
  sides: Record<Side, (round: number) => Promise<Result>>,
): Promise<Record<Side, Result[]>> {
  const names = Object.keys(sides) as Side[];
  const results = Object.fromEntries(names.map((name): [Side, Result[]] => [name, []])) as Record<
    Side,
    Result[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results[name].push(await sides[name](round));
    }
  }
  return results;
}

export async function seconds(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
