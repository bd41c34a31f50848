import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/harness/closing-environment.mjs',
  // Node loads the tests as it loads the product: nothing is transformed.
  testRunner: '<rootDir>/test/harness/native-runner.mjs',
  transform: {},
  testSequencer: '<rootDir>/test/harness/longest-first.mjs',
  // `npm run test:long` sets GATEHOUSE_LONG. `*.both.test.ts` is part of both commands: test/harness/long-run.ts.
  testMatch: process.env.GATEHOUSE_LONG
    ? ['<rootDir>/test/**/*.{long,both}.test.ts', '<rootDir>/packages/*/test/**/*.{long,both}.test.ts']
    : ['<rootDir>/test/**/*.test.ts', '<rootDir>/packages/*/test/**/*.test.ts', '!**/*.long.test.ts'],
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
