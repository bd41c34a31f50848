/** One line of a bench's result. */
export interface Figure {
  what: string;
  /** What was measured, with its unit. */
  measured: string;
  /** What it is to be; absent for a figure that only explains. */
  aim?: string;
  /** Whether the aim is reached; absent where there is none. */
  met?: boolean;
}

/** A figure with an upper limit. */
export function atMost(what: string, value: number, limit: number, unit: string): Figure {
  return { what, measured: `${digits(value)}${unit}`, aim: `at most ${limit}${unit}`, met: value <= limit };
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
