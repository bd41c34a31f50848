import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { FileProcessor, RealPart } from '../test/harness/real-parts.ts';

/** What jest's report has of a file of tests; times in milliseconds. */
export interface TestedFile {
  name: string;
  startTime: number;
  endTime: number;
}

/** What workers have recorded in a run. */
export interface Recorded {
  parts: RealPart[];
  /** Seconds of processor time, by the path of the file of tests. */
  processor: Map<string, number>;
}

export function readRecorded(file: string): Recorded {
  const recorded: Recorded = { parts: [], processor: new Map() };
  if (!existsSync(file)) return recorded;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue;
    const read: RealPart | FileProcessor = JSON.parse(line);
    if ('kind' in read) recorded.parts.push(read);
    else recorded.processor.set(read.file, read.processor);
  }
  return recorded;
}

/** Seconds of each file, the slowest first. */
export function secondsOf(files: TestedFile[], root: string): [file: string, seconds: number][] {
  return files
    .map(({ name, startTime, endTime }): [string, number] => [
      name.replace(root, ''),
      (endTime - startTime) / 1_000,
    ])
    .toSorted(([, a], [, b]) => b - a);
}

/** What `npm test` says before its last line: the slowest files, and what the starts of each kind of real part took. */
export function timesText(
  seconds: [file: string, seconds: number][],
  { parts, processor }: Recorded,
  root = '',
): string {
  const slowest = seconds.slice(0, 10).map(([file, took]) => {
    const ofProcessor = processor.get(root + file);
    return `${shown(took)} s ${ofProcessor === undefined ? '' : `${shown(ofProcessor)} s `} ${file}`;
  });
  const kinds = [...Map.groupBy(parts, ({ kind }) => kind)]
    .map(([kind, all]) => ({
      kind,
      starts: all.length,
      took: all.reduce((sum, part) => sum + part.seconds, 0),
    }))
    .toSorted((a, b) => b.took - a.took);
  const started = kinds.map(
    ({ kind, starts, took }) => `${shown(took)} s  ${kind}, ${starts} ${starts === 1 ? 'start' : 'starts'}`,
  );
  return [
    ...(slowest.length === 0
      ? []
      : [
          processor.size === 0 ? 'The slowest files:' : 'The slowest files, with their processor time:',
          ...slowest,
        ]),
    ...(started.length === 0
      ? []
      : ['What was started, and how long that took (processes: until they ended):', ...started]),
  ].join('\n');
}

function shown(seconds: number): string {
  return seconds.toFixed(1).padStart(7);
}

const timesFile = (root: string) => `${root}.gatehouse/test-times.json`;

/** Seconds of the last run of each file on this machine. */
export function readTimes(root: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(timesFile(root), 'utf8'));
  } catch {
    // None yet, or cut short: they only save time.
    return {};
  }
}

export function rememberTimes(root: string, seconds: [file: string, seconds: number][]): void {
  const times = { ...readTimes(root), ...Object.fromEntries(seconds) };
  writeFileSync(timesFile(root), `${JSON.stringify(times, undefined, 1)}\n`);
}
