/** What a worker is started with. */
export interface Start {
  /** Where all paths begin, with a slash at its end. */
  root: string;
  /** The mutated sources, and the files with their code. */
  sources: { file: string; code: string }[];
  /** A folder for what tests leave behind. */
  temporary: string;
  /** One more than there are mutations. */
  count: number;
  /** The mutation that is on while files load; 0 for none. */
  mutation: number;
}

/** A test, by its place in its file. */
export interface TestPlace {
  file: string;
  at: number;
  /** Milliseconds that it takes. */
  ms: number;
}

export interface RunOrder {
  kind: 'run';
  mutation: number;
  tests: TestPlace[];
}

export type Order = RunOrder | { kind: 'record'; file: string };

export interface RecordedTest {
  name: string;
  ms: number;
  /** Numbers of the mutations that it comes to. */
  reached: number[];
  failed: string | undefined;
}

export type Answer =
  | { kind: 'running'; ms: number }
  | { kind: 'recorded'; loading: number[]; tests: RecordedTest[] }
  | { kind: 'killed'; by: string }
  /** `isReached`: whether a test came to the mutated place. */
  | { kind: 'survived'; isReached: boolean }
  /** A test fails without the mutation, too: the process is to be replaced. */
  | { kind: 'spoiled' }
  | { kind: 'broken'; error: string };
