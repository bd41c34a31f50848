/** What a mutation is named by, in a report and in its explanation: lines change too often. */
export interface Named {
  file: string;
  /** The function around it. */
  within: string;
  original: string;
  mutated: string;
}

/** A mutation that no test can notice, with the reason. */
export interface Explained extends Named {
  why: string;
}

/** What became of a mutation. `not reached`: no test comes to its place. */
export interface Verdict {
  is: 'killed' | 'timed out' | 'survived' | 'not reached';
  /** The test that noticed it. */
  by?: string;
}

/** A mutation that was tried. */
export interface Tried extends Named, Verdict {
  line: number;
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

export function keyOf({ file, within, original, mutated }: Named): string {
  return JSON.stringify([file, within, original, mutated]);
}

/**
 * Explanations of nothing: their mutation is not there any more, or was noticed.
 *
 * @param all every mutation of the sources that were looked at
 * @param noticed those of them that tests noticed
 * @param survived those that no test noticed: one text may be there twice
 */
export function staleOf(
  explained: Explained[],
  all: Named[],
  noticed: Named[],
  survived: Named[],
): Explained[] {
  const files = new Set(all.map(({ file }) => file));
  const [there, killed, left] = [all, noticed, survived].map((named) => new Set(named.map(keyOf)));
  return explained.filter((one) => {
    const key = keyOf(one);
    return files.has(one.file) && (!there?.has(key) || (killed?.has(key) && !left?.has(key)));
  });
}

export function isNoticed({ is }: Verdict): boolean {
  return is === 'killed' || is === 'timed out';
}

function isLeft(one: Tried): boolean {
  return !isNoticed(one) && one.why === undefined;
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
