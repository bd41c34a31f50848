// A process that has test files loaded, and runs their tests with one mutation after the other.
import { readFileSync } from 'node:fs';
import { enableCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { configureGlobal } from 'fast-check';
import { activate, allReached, forget, wasReached } from './active.ts';
import { expect } from './jest-globals.ts';
import { type KeptTest, prepare, runTest, testsOf } from './kept-tests.ts';
import type { Answer, Order, RunOrder, Start } from './messages.ts';

const { root, sources, count, mutation: atStart }: Start = JSON.parse(process.argv[2] ?? '');
const changed = new Map(sources.map(({ file, code }) => [pathToFileURL(`${root}${file}`).href, code]));
const globals = new URL('jest-globals.ts', import.meta.url).href;

enableCompileCache();
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globals, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) => {
    const code = changed.get(url);
    if (code === undefined) return next(url, context);
    return { format: 'module', source: readFileSync(code, 'utf8'), shortCircuit: true };
  },
});
// The same values at every run, and no search for a smaller one: that a test fails is enough.
configureGlobal({ seed: 1, endOnFailure: true });
forget(count);
activate(atStart);

/** What loading a file takes at most, where no one else uses the machine. */
const loadingMs = 2_000;
const loaded = new Map<string, KeptTest[]>();

async function load(file: string): Promise<KeptTest[]> {
  expect.setState({ testPath: `${root}${file}` });
  const tests = loaded.get(file) ?? (await testsOf(() => import(pathToFileURL(`${root}${file}`).href)));
  loaded.set(file, tests);
  return tests;
}

/** Runs every test of a file once, and tells which mutations each comes to. */
async function record(file: string): Promise<Answer> {
  const tests = await load(file);
  for (const test of tests) await prepare(test);
  const loading = allReached();
  const recorded = [];
  for (const test of tests) {
    forget(count);
    const start = performance.now();
    const failed = await failure(test);
    const ms = performance.now() - start;
    recorded.push({ name: test.name, ms, reached: allReached(), failed });
  }
  return { kind: 'recorded', loading, tests: recorded };
}

async function run({ mutation, tests: places }: RunOrder): Promise<Answer> {
  let isReached = atStart !== 0;
  for (const { file, at, ms } of places) {
    if (!loaded.has(file)) say({ kind: 'running', ms: loadingMs });
    const tests = await load(file);
    say({ kind: 'running', ms });
    const test = tests[at];
    // With the mutation in its table, a file may have fewer tests.
    if (test === undefined) continue;
    await prepare(test);
    forget(count);
    activate(mutation);
    const failed = await failure(test);
    activate(atStart);
    isReached ||= wasReached(mutation);
    if (failed === undefined) continue;
    const by = `${file}: ${test.name}`;
    // What the mutation left behind may fail as well. Then the process is of no more use.
    const isSpoiled = atStart === 0 && (await failure(test)) !== undefined;
    return isSpoiled ? { kind: 'spoiled' } : { kind: 'killed', by };
  }
  return { kind: 'survived', isReached };
}

async function failure(test: KeptTest): Promise<string | undefined> {
  try {
    await runTest(test);
    return undefined;
  } catch (error) {
    return String(error).split('\n', 1)[0] || 'failed';
  }
}

function say(answer: Answer): void {
  process.send?.(answer);
}

process.on('message', async (order: Order) => {
  try {
    say(order.kind === 'record' ? await record(order.file) : await run(order));
  } catch (error) {
    say({ kind: 'broken', error: String(error) });
  }
});
process.on('disconnect', () => process.exit());
