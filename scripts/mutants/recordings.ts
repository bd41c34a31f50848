import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { RecordedTest } from './messages.ts';
import type { MutatedSource } from './source.ts';
import type { TestFile } from './test-files.ts';
import type { WorkerProcess } from './worker-process.ts';

/** What the tests of a file come to. */
export interface Recording {
  file: string;
  /** Numbers of the mutations that loading it comes to. */
  loading: number[];
  tests: RecordedTest[];
}

/** The scripts that a recording follows from. */
const recording = [
  'active',
  'jest-globals',
  'kept-tests',
  'mutations',
  'source',
  'texts-for-people',
  'worker',
];

/** In the cache a place is one in its source: the numbers follow from all sources before it. */
type Places = Record<string, number[]>;
interface Cached {
  key: string;
  loading: Places;
  tests: (Omit<RecordedTest, 'reached'> & { reached: Places })[];
}

/** The recordings of test files: made once, and again after a change of what a file imports. */
export class Recordings {
  readonly #folder: string;
  readonly #sources: MutatedSource[];
  readonly #own: string;

  constructor(folder: string, sources: MutatedSource[]) {
    this.#folder = folder;
    this.#sources = sources;
    mkdirSync(folder, { recursive: true });
    const digest = createHash('sha256').update(JSON.stringify(sources.map(({ file }) => file)));
    for (const script of recording) digest.update(readFileSync(`${import.meta.dirname}/${script}.ts`));
    this.#own = digest.digest('hex');
  }

  /**
   * @param worker a fresh one: what is loaded already is not come to again
   * @throws Error with what went wrong in the file
   */
  async of({ file, digest }: TestFile, worker: () => WorkerProcess): Promise<Recording> {
    const path = `${this.#folder}/${file.replaceAll('/', '-')}.json`;
    const key = `${this.#own} ${digest}`;
    const cached = read(path);
    if (cached?.key === key) {
      const tests = cached.tests.map((test) => ({ ...test, reached: this.#numbers(test.reached) }));
      return { file, loading: this.#numbers(cached.loading), tests };
    }
    const process = worker();
    const answer = await process.ask({ kind: 'record', file });
    process.stop();
    if (answer.kind !== 'recorded') {
      throw new Error(`${file} ${answer.kind}${answer.kind === 'broken' ? `: ${answer.error}` : ''}`);
    }
    const { loading, tests } = answer;
    const made: Cached = {
      key,
      loading: this.#places(loading),
      tests: tests.map((test) => ({ ...test, reached: this.#places(test.reached) })),
    };
    // Two runs at once may write it.
    writeFileSync(`${path}.${globalThis.process.pid}`, JSON.stringify(made));
    renameSync(`${path}.${globalThis.process.pid}`, path);
    return { file, loading, tests };
  }

  #places(numbers: number[]): Places {
    const places: Places = {};
    for (const { file, first, mutations } of this.#sources) {
      const here = numbers.filter((number) => number >= first && number < first + mutations.length);
      if (here.length > 0) places[file] = here.map((number) => number - first);
    }
    return places;
  }

  #numbers(places: Places): number[] {
    return this.#sources.flatMap(({ file, first }) => (places[file] ?? []).map((place) => first + place));
  }
}

function read(path: string): Cached | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
