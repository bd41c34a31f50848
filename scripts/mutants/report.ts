import type { Explained } from './explained.ts';
import type { Verdict } from './judge.ts';

/** A mutation that was tried. */
export interface Tried extends Verdict {
  file: string;
  line: number;
  within: string;
  original: string;
  mutated: string;
  /** Milliseconds that it took. */
  ms: number;
  /** Why no test can notice it. */
  why?: string;
}

export interface Report {
  tried: Tried[];
  /** Explanations of what is not there, or was noticed. */
  stale: Explained[];
  /** Of the mutations that were tried: noticed or explained, in percent. */
  percent: number;
  seconds: number;
}

export function isLeft({ is, why }: Tried): boolean {
  return (is === 'survived' || is === 'not reached') && why === undefined;
}

export function percentOf(tried: Tried[]): number {
  return tried.length === 0 ? 100 : (100 * tried.filter((one) => !isLeft(one)).length) / tried.length;
}

export function reportText({ tried, stale, percent, seconds }: Report): string {
  const rows = [...Map.groupBy(tried, ({ file }) => file)].map(([file, all]) => row(file, all));
  const widest = Math.max(...rows.map(([name]) => name.length), 5);
  const lines = [['', '%', 'killed', 'explained', 'survived'] as const, ...rows, row('total', tried)].map(
    ([name, ...figures]) => `${name.padEnd(widest)}${figures.map((figure) => figure.padStart(11)).join('')}`,
  );
  const left = tried
    .filter(isLeft)
    .map(
      ({ file, line, original, mutated, is }) =>
        `${file}:${line}  ${original}  →  ${mutated || '(removed)'}${is === 'not reached' ? '  (no test comes here)' : ''}`,
    );
  return [
    ...lines,
    '',
    ...(left.length > 0 ? ['Survived:', ...left, ''] : []),
    ...stale.map(
      ({ file, within, original, mutated }) => `Stale: ${file}, ${within}: ${original}  →  ${mutated}`,
    ),
    `${tried.length} mutations in ${seconds} s: ${percent.toFixed(1)} % killed or explained.`,
  ].join('\n');
}

function row(name: string, tried: Tried[]): [string, string, string, string, string] {
  const explained = tried.filter(({ why }) => why !== undefined).length;
  const left = tried.filter(isLeft).length;
  const figures = [tried.length - explained - left, explained, left].map(String);
  return [name, percentOf(tried).toFixed(1), ...figures] as [string, string, string, string, string];
}
