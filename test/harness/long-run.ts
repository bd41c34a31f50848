import { expect } from '@jest/globals';

/**
 * Whether tests that run twice, in two settings, run here in the setting of this command. Files named
 * `*.both.test.ts` are part of both commands, one setting in each; every other file runs all of its settings.
 */
export function isIn(command: 'npm test' | 'test:long'): boolean {
  if (!expect.getState().testPath?.endsWith('.both.test.ts')) return true;
  return !process.env['GATEHOUSE_LONG'] === (command === 'npm test');
}

/** One in `few` of the cases in `npm test`, the last of each such number; all of them in `npm run test:long`. */
export function someOf<Case>(few: number, cases: readonly Case[]): Case[] {
  return cases.filter((_, at) => isIn('test:long') || at % few === few - 1);
}
