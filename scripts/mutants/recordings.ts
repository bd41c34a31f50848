import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Processes } from './processes.ts';
import type { RecordedTest } from './worker.ts';

/** What the tests of a file come to. */
export interface Recording {
  file: string;
  /** Numbers of the mutations that loading it comes to. */
  loading: number[];
  tests: RecordedTest[];
}

/** Where the tests are that are to notice. */
const testFiles = 'packages/core/test/**/*.test.ts';

/**
 * Records the tests, each file in a process of its own. A recording is kept in `.gatehouse/mutants/` until the file changes, or
 * anything that is no test.
 *
 * @param files the mutated sources: from their list follow the numbers
 * @param atOnce takes the work, and does some of it at once
 * @param log takes what went wrong in a file, whose tests notice nothing then
 */
export async function recordTests(
  root: string,
  files: string[],
  processes: Processes,
  atOnce: <Result>(work: () => Promise<Result>) => Promise<Result>,
  log: (line: string) => void,
): Promise<Recording[]> {
  const digest = (texts: string[]) => createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');
  const sources = globSync('*/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**', 'build/**', 'dist/**', '**/*.test.ts'],
  });
  const common = digest([...files, ...sources.toSorted().flatMap((file) => [file, read(file)])]);
  const cache = `${root}.gatehouse/mutants`;
  mkdirSync(cache, { recursive: true });
  const record = async (file: string): Promise<Recording> => {
    const path = `${cache}/${file.replaceAll('/', '-')}.json`;
    const key = digest([common, read(file)]);
    const kept = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
    if (kept?.key === key) return kept.recording;
    let answer = await processes.ask({ record: file });
    // Once more: a busy machine may end a process.
    if (answer.kind === 'timed out') answer = await processes.ask({ record: file });
    if (answer.kind !== 'recorded') {
      log(`Not counted, for it is not recorded: ${file}: ${'error' in answer ? answer.error : answer.kind}`);
      return { file, loading: [], tests: [] };
    }
    const recording = { file, loading: answer.loading, tests: answer.tests };
    // Two runs at once may write it.
    writeFileSync(`${path}.${process.pid}`, JSON.stringify({ key, recording }));
    renameSync(`${path}.${process.pid}`, path);
    return recording;
  };
  const all = globSync(testFiles, { cwd: root }).toSorted();
  return Promise.all(
    all.filter((file) => !/\.(long|weekly)\.test\.ts$/.test(file)).map((file) => atOnce(() => record(file))),
  );
}
