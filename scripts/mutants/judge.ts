import type { TestPlace } from './messages.ts';
import type { Recording } from './recordings.ts';
import type { MutatedSource } from './source.ts';
import type { WorkerProcess } from './worker-process.ts';

/** What became of a mutation. `not reached`: no test comes to its place. */
export interface Verdict {
  is: 'killed' | 'timed out' | 'survived' | 'not reached';
  /** The test that noticed it. */
  by?: string;
}

/** Decides of mutations whether the tests notice them. */
export class Judge {
  readonly #recordings: Recording[];
  readonly #sources: MutatedSource[];
  readonly #most: number;
  readonly #fresh: (mutation: number) => WorkerProcess;
  /** For each mutation, the tests that come to it. */
  readonly #tests = new Map<number, TestPlace[]>();
  /** For each mutation, the files that come to it while they load. */
  readonly #loading = new Map<number, Recording[]>();

  /**
   * @param most milliseconds of tests that are run for a mutation, the quickest first; those that stand at the path of
   *   the source always are
   * @param fresh a worker in which a mutation is on from its start
   */
  constructor(
    recordings: Recording[],
    sources: MutatedSource[],
    most: number,
    fresh: (mutation: number) => WorkerProcess,
  ) {
    this.#recordings = recordings;
    this.#sources = sources;
    this.#most = most;
    this.#fresh = fresh;
    for (const recording of recordings) {
      for (const mutation of recording.loading) listAt(this.#loading, mutation).push(recording);
      for (const [at, { ms, reached }] of passing(recording)) {
        for (const mutation of reached) {
          listAt(this.#tests, mutation).push({ file: recording.file, at, ms });
        }
      }
    }
  }

  /** @param worker one that has files loaded already; it may have to be replaced, which it does by itself */
  async verdict(mutation: number, worker: WorkerProcess): Promise<Verdict> {
    const tests = this.#tests.get(mutation) ?? [];
    const loading = this.#loading.get(mutation) ?? [];
    const source = this.#sources.findLast(({ first }) => first <= mutation);
    if (source === undefined) throw new Error(`There is no mutation ${mutation}`);
    if (tests.length === 0 && loading.length === 0) return { is: 'not reached' };
    if (tests.length > 0) {
      const answer = await worker.ask({ kind: 'run', mutation, tests: this.#quickest(tests, source.file) });
      if (answer.kind === 'killed') return { is: 'killed', by: answer.by };
      if (answer.kind === 'timed out' || answer.kind === 'crashed') return { is: 'timed out' };
      // What is made once and kept is not made again with the mutation.
      if (answer.kind === 'survived' && answer.isReached && loading.length === 0) return { is: 'survived' };
    }
    const fresh = this.#fresh(mutation);
    const all = [...tests, ...this.#testsAfter(source, loading)];
    const answer = await fresh.ask({ kind: 'run', mutation, tests: this.#quickest(all, source.file) });
    fresh.stop();
    if (answer.kind === 'survived') return { is: 'survived' };
    if (answer.kind === 'killed') return { is: 'killed', by: answer.by };
    // A file that does not load is a test that fails.
    return answer.kind === 'broken' ? { is: 'killed', by: answer.error } : { is: 'timed out' };
  }

  /** For what is made while files load: their tests that use the same source, or all where a source is only constants. */
  #testsAfter({ file, first, mutations }: MutatedSource, loading: Recording[]): TestPlace[] {
    const isOf = (number: number) => number >= first && number < first + mutations.length;
    const isUsed = this.#recordings.some(({ tests }) => tests.some(({ reached }) => reached.some(isOf)));
    return loading.flatMap((recording) =>
      passing(recording)
        .filter(([, { reached }]) => !isUsed || isOwn(recording.file, file) || reached.some(isOf))
        .map(([at, { ms }]) => ({ file: recording.file, at, ms })),
    );
  }

  /** The tests worth their time, the quickest first. */
  #quickest(tests: TestPlace[], source: string): TestPlace[] {
    const all = new Map(tests.map((test) => [`${test.file} ${test.at}`, test]));
    let sum = 0;
    return [...all.values()]
      .sort((a, b) => a.ms - b.ms)
      .filter(({ file, ms }) => {
        sum += ms;
        return sum <= this.#most || isOwn(file, source);
      });
  }
}

/** Whether a test file stands at the path of a source. */
function isOwn(file: string, source: string): boolean {
  return file.startsWith(`test/${source.replace(/\.ts$/, '.')}`);
}

function passing({ tests }: Recording) {
  return [...tests.entries()].filter(([, { failed }]) => failed === undefined);
}

function listAt<Item>(lists: Map<number, Item[]>, key: number): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
