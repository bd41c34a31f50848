/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/harness/closing-environment.mjs',
  // Pulumi's SDK keeps module state on globals; jest's clean-up would tear it from under it.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  // `npm run test:long` sets GATEHOUSE_LONG. `*.both.test.ts` is part of both commands: test/harness/long-run.ts.
  testMatch: process.env.GATEHOUSE_LONG
    ? ['<rootDir>/test/**/*.{long,both}.test.ts']
    : ['<rootDir>/test/**/*.test.ts', '!**/*.long.test.ts'],
  modulePathIgnorePatterns: ['<rootDir>/.gatehouse/', '<rootDir>/build/'],
  // Against what hangs: a busy machine takes its time.
  testTimeout: 180_000,
  // Not in the temporary folder, which is the run's own (scripts/run-tests.mjs).
  cacheDirectory: '<rootDir>/.gatehouse/jest',
  maxWorkers: 2,
  // The modules of a test file stay in memory after it. A worker that collects two gigabytes of garbage stands still meanwhile.
  workerIdleMemoryLimit: '700MB',
};
