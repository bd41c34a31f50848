import { expect } from '@jest/globals';

/**
 * Whether tests that run twice, in two settings, run here in the setting of this command. Files named
 * `*.both.test.ts` are part of both commands, one setting in each; every other file runs all of its settings.
 */
export function isIn(command: 'npm test' | 'test:long'): boolean {
  if (!expect.getState().testPath?.endsWith('.both.test.ts')) return true;
  return !process.env['GATEHOUSE_LONG'] === (command === 'npm test');
}
