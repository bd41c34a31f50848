import { availableParallelism } from 'node:os';

/**
 * `npm run test:long` sets GATEHOUSE_LONG, `npm run test:weekly` GATEHOUSE_WEEKLY. `*.both.test.ts` and
 * `*.long.weekly.test.ts` are part of two commands: test/harness/long-run.ts and weekly-run.ts.
 */
function files() {
  if (process.env.GATEHOUSE_WEEKLY) return '*.{weekly,both}';
  return process.env.GATEHOUSE_LONG ? '*.{long,both,long.weekly}' : '!(*.long|*.weekly)';
}

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/harness/closing-environment.mjs',
  // Node loads the tests as it loads the product: nothing is transformed.
  testRunner: '<rootDir>/test/harness/native-runner.mjs',
  transform: {},
  testSequencer: '<rootDir>/test/harness/longest-first.mjs',
  testMatch: ['<rootDir>/test', '<rootDir>/packages/*/test'].map(
    (folder) => `${folder}/**/${files()}.test.ts`,
  ),
  modulePathIgnorePatterns: ['<rootDir>/.gatehouse/', '<rootDir>/build/', '<rootDir>/dist/'],
  // Against what hangs: a busy machine takes its time.
  testTimeout: 180_000,
  // Not in the temporary folder, which is the run's own (scripts/run-tests.mjs).
  cacheDirectory: '<rootDir>/.gatehouse/jest',
  // Tests wait a third of their time, for servers, retries and processes: one more than there are cores.
  maxWorkers: availableParallelism() + 1,
  // What test files hold stays in memory after them. A worker that collects two gigabytes of garbage stands still meanwhile.
  workerIdleMemoryLimit: '700MB',
};
