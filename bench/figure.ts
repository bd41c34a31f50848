/** One line of a bench's result. */
export interface Figure {
  what: string;
  /** With its unit. */
  measured: string;
  /** Absent for a figure that only explains. */
  aim?: string;
  met?: boolean;
}

/** A figure with an upper limit. */
export function atMost(what: string, value: number, limit: number, unit: string): Figure {
  const aim = `at most ${Number(limit.toFixed(2))}${unit}`;
  return { what, measured: `${digits(value)}${unit}`, aim, met: value <= limit };
}

export function figure(what: string, value: number, unit: string): Figure {
  return { what, measured: `${digits(value)}${unit}` };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** Figures as aligned lines. */
export function figuresText(figures: readonly Figure[]): string {
  const width = Math.max(...figures.map(({ what }) => what.length));
  const lines = figures.map(({ what, measured, aim, met }) => {
    const verdict = met === undefined ? '' : `   ${met ? 'met' : 'MISSED'}: ${aim}`;
    return `${what.padEnd(width)}  ${measured.padStart(10)}${verdict}`;
  });
  return `${lines.join('\n')}\n`;
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
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
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Side, Result[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results[name].push(await sides[name](round));
    }
  }
  return results;
}

export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
