import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import pLimit from 'p-limit';
import { Processes } from './processes.ts';
import { type Recording, recordTests } from './recordings.ts';
import { type Explained, isNoticed, keyOf, percentOf, type Report, staleOf, type Verdict } from './report.ts';
import { type MutatedSource, mutatedSources } from './source.ts';
import type { TestPlace } from './worker.ts';

/** What is mutated where no path is given. */
const everything = [
  'packages/core/src/access',
  'packages/core/src/login',
  'packages/core/src/graph/policies',
  'packages/core/src/graph/values/address-range.ts',
  'packages/core/src/graph/values/go.ts',
  'packages/core/src/review/plan',
];
/** Those in which tests are held to notice 92 %, on a sample (test/mutants/mutants.weekly.test.ts). Add one that gets there. */
export const held = [
  'packages/core/src/access/sign-in',
  'packages/core/src/login',
  'packages/core/src/graph/policies',
  'packages/core/src/graph/values/address-range.ts',
  'packages/core/src/graph/values/go.ts',
];
/** Mutations that no test can notice. */
const explanations = 'test/mutants/survivors.json';

export interface Options {
  root: string;
  /** Files, folders, or `file:line`. */
  paths: string[];
  /** How many mutations are tried at most, a random choice: those of a line that is asked for are all tried. */
  sample: number;
  seed: number;
  workers: number;
  /** Seconds of tests for one mutation, the quickest first; those that stand at the path of the source always are run. */
  seconds: number;
  log: (line: string) => void;
}

/** Tries mutations. The sources stay as they are: only the processes that run tests get the changed code. */
export async function tryMutations(options: Options): Promise<Report> {
  const { root, sample, seed, seconds, log } = options;
  const start = performance.now();
  const asked =
    options.paths.length === 0 ? everything : options.paths.map((path) => path.replace(/\/$/, ''));
  const files = new Set(
    [...everything, ...asked].flatMap((path) => filesBelow(root, path.replace(/:\d+$/, ''))),
  );
  const sources = mutatedSources(root, [...files]);
  const processes = new Processes(root, sources);
  const atOnce = pLimit(options.workers);
  const recordings = await recordTests(root, [...files], processes, atOnce, log);
  for (const { file, tests } of recordings) {
    for (const { name, failed } of tests) {
      if (failed !== undefined) log(`Not counted, for it fails as it is: ${file}: ${name}: ${failed}`);
    }
  }
  log(`${recordings.length} test files recorded`);

  const all = sources.flatMap((source) =>
    source.mutations.map(({ line, within, original, mutated }, at) => ({
      number: source.first + at,
      source,
      named: { file: source.file, line, within, original, mutated },
    })),
  );
  const inScope = all.filter(({ named }) => asked.some((path) => isIn(named, path)));
  const known: Explained[] = existsSync(`${root}${explanations}`)
    ? JSON.parse(readFileSync(`${root}${explanations}`, 'utf8'))
    : [];
  const explained = new Map(known.map((one) => [keyOf(one), one]));
  const isOfLine = ({ named: { file, line } }: (typeof all)[number]) => asked.includes(`${file}:${line}`);
  const chosen = [
    ...inScope.filter(isOfLine),
    ...sampleOf(
      inScope.filter((one) => !isOfLine(one)),
      sample,
      seed,
    ),
  ];
  let done = 0;
  const tried = await Promise.all(
    chosen.map(({ number, source, named }) =>
      atOnce(async () => {
        const begin = performance.now();
        const tests = testsFor(number, source, recordings);
        const verdict: Verdict =
          tests.length === 0
            ? { is: 'not reached' }
            : await verdictOf(number, quickest(tests, source.file, seconds * 1_000), processes);
        const ms = Math.round(performance.now() - begin);
        const why = isNoticed(verdict) ? undefined : explained.get(keyOf(named))?.why;
        done += 1;
        if (done % 50 === 0) log(`${done} of ${chosen.length} mutations`);
        return { ...named, ...verdict, ms, ...(why !== undefined && { why }) };
      }),
    ),
  );
  processes.close();
  const [noticed, survived] = [true, false].map((is) => tried.filter((one) => isNoticed(one) === is));
  return {
    tried,
    stale: staleOf(
      known,
      all.map(({ named }) => named),
      noticed ?? [],
      survived ?? [],
    ),
    percent: percentOf(tried),
    seconds: Math.round((performance.now() - start) / 1_000),
  };
}

async function verdictOf(mutation: number, tests: TestPlace[], processes: Processes): Promise<Verdict> {
  const answer = await processes.ask({ mutation, tests });
  if (answer.kind === 'killed') return { is: 'killed', by: answer.by };
  // A file that does not load is a test that fails.
  if (answer.kind === 'broken') return { is: 'killed', by: answer.error };
  return { is: answer.kind === 'survived' ? 'survived' : 'timed out' };
}

/**
 * The tests that come to a mutation. What files come to while they load is in the tests of these files that use the same
 * source, or in all where a source is only constants.
 */
function testsFor(
  mutation: number,
  { file: source, first, mutations }: MutatedSource,
  recordings: Recording[],
): TestPlace[] {
  const isOfSource = (number: number) => number >= first && number < first + mutations.length;
  const isUsed = recordings.some(({ tests }) => tests.some(({ reached }) => reached.some(isOfSource)));
  return recordings.flatMap(({ file, loading, tests }) => {
    const isLoading = loading.includes(mutation);
    return tests.flatMap(({ ms, reached, failed }, at) => {
      const isAfter = isLoading && (!isUsed || isOwn(file, source) || reached.some(isOfSource));
      return failed === undefined && (isAfter || reached.includes(mutation)) ? [{ file, at, ms }] : [];
    });
  });
}

/** The tests worth their time, the quickest first. */
function quickest(tests: TestPlace[], source: string, most: number): TestPlace[] {
  let sum = 0;
  return tests
    .toSorted((a, b) => a.ms - b.ms)
    .filter(({ file, ms }) => {
      sum += ms;
      return sum <= most || isOwn(file, source);
    });
}

/** Whether a test file stands at the path of a source. */
function isOwn(file: string, source: string): boolean {
  return file.startsWith(source.replace('/src/', '/test/').replace(/ts$/, ''));
}

function filesBelow(root: string, path: string): string[] {
  if (statSync(`${root}${path}`).isFile()) return [path];
  return globSync(`${path}/**/*.ts`, { cwd: root }).toSorted();
}

function isIn({ file, line }: { file: string; line: number }, path: string): boolean {
  return file === path || file.startsWith(`${path}/`) || `${file}:${line}` === path;
}

/** A random choice, in its old order. */
function sampleOf<Item>(items: Item[], size: number, seed: number): Item[] {
  const rank = (at: number) => Math.imul((seed + 1) * 2_654_435_761 + at, 2_246_822_519);
  const chosen = new Set([...items.keys()].toSorted((one, other) => rank(one) - rank(other)).slice(0, size));
  return items.filter((_, at) => chosen.has(at));
}
