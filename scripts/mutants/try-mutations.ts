import { globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Explained, keyOf, readExplained, staleOf } from './explained.ts';
import { Judge } from './judge.ts';
import { type Recording, Recordings } from './recordings.ts';
import { percentOf, type Report, type Tried } from './report.ts';
import { type MutatedSource, mutatedSources } from './source.ts';
import { testFilesFor } from './test-files.ts';
import { WorkerProcess } from './worker-process.ts';

/** What is mutated where no path is given. */
const everything = ['core/access', 'core/login', 'core/model/policies', 'core/review/plan'];
/** Those in which tests are held to notice 92 %, on a sample (test/mutants/mutants.long.test.ts). Add one that gets there. */
export const held = ['core/access/sign-in', 'core/login', 'core/model/policies'];
/** Where the tests are that are to notice. */
const testFolders = ['test/core'];
/** Mutations that no test can notice. */
const explanations = 'test/mutants/survivors.json';

export interface Options {
  root: string;
  /** Files, folders, or `file:line`. */
  paths: string[];
  /** How many mutations are tried at most: a random choice. */
  sample: number;
  seed: number;
  workers: number;
  /** Seconds of tests for one mutation; the quickest come first. */
  seconds: number;
  log: (line: string) => void;
}

/** Tries mutations. The sources stay as they are: only the processes that run tests get the changed code. */
export async function tryMutations({
  root,
  paths,
  sample,
  seed,
  workers,
  seconds,
  log,
}: Options): Promise<Report> {
  const start = performance.now();
  const asked = paths.length === 0 ? everything : paths.map((path) => path.replace(/\/$/, ''));
  const files = [...everything, ...asked].flatMap((path) => filesBelow(root, path.replace(/:\d+$/, '')));
  const sources = mutatedSources(root, [...new Set(files)]);
  const folder = `${root}.gatehouse/mutants`;
  mkdirSync(folder, { recursive: true });
  const copies = mkdtempSync(`${folder}/copies-`);
  // Short: sockets are below it.
  const temporary = mkdtempSync(`${tmpdir()}/gh-`);
  const started = new Set<WorkerProcess>();
  const stopAll = () => {
    for (const worker of started) worker.stop();
    for (const made of [copies, temporary]) rmSync(made, { recursive: true, force: true, maxRetries: 3 });
  };
  // A process that hangs would outlive this one.
  process.once('exit', stopAll);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const changed = sources.map(({ file, code }, at) => {
    writeFileSync(`${copies}/${at}.mjs`, code);
    return { file, code: `${copies}/${at}.mjs` };
  });
  const count = 1 + sources.reduce((sum, { mutations }) => sum + mutations.length, 0);
  const worker = (mutation: number) => {
    const one = new WorkerProcess({ root, sources: changed, count, mutation, temporary });
    started.add(one);
    return one;
  };

  const recordings = await record({ root, sources, workers, log, folder, worker });
  const judge = new Judge(recordings, sources, seconds * 1_000, worker);
  const all = sources.flatMap((source) => namedIn(source));
  const inScope = all.filter((one) => asked.some((path) => isIn(one, path)));
  const chosen = sampleOf(inScope, sample, seed);
  const explained = new Map(readExplained(`${root}${explanations}`).map((one) => [keyOf(one), one]));
  const tried: Tried[] = [];
  let done = 0;
  let logged = performance.now();
  await atOnce(workers, chosen, () => {
    const warm = worker(0);
    return async ({ number, ...named }) => {
      const begin = performance.now();
      const verdict = await judge.verdict(number, warm);
      const ms = Math.round(performance.now() - begin);
      tried.push({ ...named, ...verdict, ms, ...reason(verdict, explained.get(keyOf(named))) });
      done += 1;
      if (performance.now() - logged < 30_000) return;
      logged = performance.now();
      log(`${done} of ${chosen.length} mutations`);
    };
  });
  process.removeListener('exit', stopAll);
  stopAll();
  tried.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
  const noticed = tried.filter(({ is }) => is === 'killed' || is === 'timed out');
  const survived = tried.filter(({ is }) => is === 'survived' || is === 'not reached');
  return {
    tried,
    stale: staleOf([...explained.values()], all, noticed, survived),
    percent: percentOf(tried),
    seconds: Math.round((performance.now() - start) / 1_000),
  };
}

function filesBelow(root: string, path: string): string[] {
  if (statSync(`${root}${path}`).isFile()) return [path];
  return globSync(`${path}/**/*.ts`, { cwd: root }).toSorted();
}

function namedIn({ file, first, mutations }: MutatedSource) {
  return mutations.map(({ line, within, original, mutated }, at) => ({
    ...{ number: first + at, file, line, within, original, mutated },
  }));
}

function isIn({ file, line }: { file: string; line: number }, path: string): boolean {
  return file === path || file.startsWith(`${path}/`) || `${file}:${line}` === path;
}

function reason({ is }: { is: string }, explained: Explained | undefined): { why?: string } {
  return explained !== undefined && (is === 'survived' || is === 'not reached') ? { why: explained.why } : {};
}

/** A random choice, in its old order: tests that are loaded stay in use. */
function sampleOf<Item>(items: Item[], size: number, seed: number): Item[] {
  if (items.length <= size) return items;
  const places = items.map((_, at) => ({
    at,
    rank: Math.imul((seed + 1) * 2_654_435_761 + at, 2_246_822_519),
  }));
  const chosen = new Set(
    places
      .sort((a, b) => a.rank - b.rank)
      .slice(0, size)
      .map(({ at }) => at),
  );
  return items.filter((_, at) => chosen.has(at));
}

interface Recorder extends Pick<Options, 'root' | 'workers' | 'log'> {
  sources: MutatedSource[];
  folder: string;
  worker: (mutation: number) => WorkerProcess;
}

async function record({ root, sources, workers, log, folder, worker }: Recorder): Promise<Recording[]> {
  const cache = new Recordings(`${folder}/recorded`, sources);
  const files = testFilesFor(
    root,
    testFolders,
    sources.map(({ file }) => file),
  );
  const recordings: Recording[] = [];
  await atOnce(workers, files, () => async (file) => {
    const recording = await cache.of(file, () => worker(0));
    for (const { name, failed } of recording.tests) {
      if (failed !== undefined) log(`Not counted, for it fails as it is: ${file.file}: ${name}: ${failed}`);
    }
    recordings.push(recording);
  });
  log(`${files.length} test files recorded`);
  return recordings;
}

/** Works through a list with so many at once. */
async function atOnce<Item>(
  count: number,
  items: Item[],
  worker: () => (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: count }, async () => {
      const work = worker();
      for (const item of left) await work(item);
    }),
  );
}
