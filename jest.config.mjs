/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  // Pulumi's SDK keeps module state on globals; jest's clean-up would tear it from under it.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, module: { type: 'es6' } },
    ],
  },
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: process.env.GATEHOUSE_LONG
    ? ['/node_modules/']
    : ['/node_modules/', '\\.long\\.test\\.ts$'],
  modulePathIgnorePatterns: ['<rootDir>/.gatehouse/'],
  testTimeout: 60_000,
  maxWorkers: 2,
};
