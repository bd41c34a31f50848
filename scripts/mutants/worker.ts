// A process for one order: it records what the tests of a file come to, or runs tests with one mutation on from its start.
import { existsSync, readFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { configureGlobal } from 'fast-check';
import { activate, allow, patience, takeReached } from './active.ts';
import { expect, type KeptTest, prepare, runTest, testsOf } from './jest-globals.ts';

/** A test, by its place in its file, with the milliseconds that it takes. */
export interface TestPlace {
  file: string;
  at: number;
  ms: number;
}

export interface RecordedTest {
  name: string;
  ms: number;
  /** Numbers of the mutations that it comes to. */
  reached: number[];
  failed: string | undefined;
}

export type Order = { record: string } | { mutation: number; tests: TestPlace[] };

export type Answer =
  | { kind: 'recorded'; loading: number[]; tests: RecordedTest[] }
  | { kind: 'killed'; by: string }
  | { kind: 'survived' }
  /** A file does not load. */
  | { kind: 'broken'; error: string };

const [, , root = '', copies = ''] = process.argv;
const globals = new URL('jest-globals.ts', import.meta.url).href;

enableCompileCache();
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) => {
    const path = url.startsWith('file:') ? fileURLToPath(url) : '';
    const mutated = `${copies}/${path.slice(root.length)}`;
    if (!path.startsWith(root) || !existsSync(mutated)) return next(url, context);
    return { format: 'module', source: readFileSync(mutated, 'utf8'), shortCircuit: true };
  },
});
// The same values at every run, and no search for a smaller one: that a test fails is enough.
configureGlobal({ seed: 1, endOnFailure: true });

function load(file: string): Promise<KeptTest[]> {
  return testsOf(() => import(pathToFileURL(`${root}${file}`).href));
}

async function record(file: string): Promise<Answer> {
  expect.setState({ testPath: `${root}${file}` });
  const tests = await load(file);
  for (const test of tests) await prepare(test);
  const loading = takeReached();
  const recorded: RecordedTest[] = [];
  for (const test of tests) {
    const start = performance.now();
    const failed = await failure(test);
    recorded.push({ name: test.name, ms: performance.now() - start, reached: takeReached(), failed });
  }
  return { kind: 'recorded', loading, tests: recorded };
}

async function run(mutation: number, places: TestPlace[]): Promise<Answer> {
  activate(mutation);
  const loaded = new Map<string, KeptTest[]>();
  for (const { file, at, ms } of places) {
    expect.setState({ testPath: `${root}${file}` });
    allow(patience.ms);
    const tests = loaded.get(file) ?? (await load(file));
    loaded.set(file, tests);
    const test = tests[at];
    // With the mutation in its table, a file may have fewer tests.
    if (test === undefined) continue;
    await prepare(test);
    allow(patience.ms + patience.times * ms);
    if ((await failure(test)) !== undefined) return { kind: 'killed', by: `${file}: ${test.name}` };
  }
  return { kind: 'survived' };
}

async function failure(test: KeptTest): Promise<string | undefined> {
  try {
    await runTest(test);
    return undefined;
  } catch (error) {
    return String(error).split('\n', 1)[0] || 'failed';
  }
}

process.once('message', async (order: Order) => {
  const answer = 'record' in order ? record(order.record) : run(order.mutation, order.tests);
  process.send?.(await answer.catch((error): Answer => ({ kind: 'broken', error: String(error) })));
});
