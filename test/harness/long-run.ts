import { expect, test } from '@jest/globals';
import { isWeekly } from './weekly-run.ts';

/**
 * Whether tests that run twice, in two settings, run here in the setting of this command. Files named `*.both.test.ts` are part
 * of `npm test` and `npm run test:long`, one setting in each; those named `*.long.weekly.test.ts` have the setting of `npm test` in
 * `npm run test:weekly`. Every other file runs all of its settings.
 */
export function isIn(command: 'npm test' | 'test:long'): boolean {
  if (!/\.(?:both|long\.weekly)\.test\.ts$/.test(expect.getState().testPath ?? '')) return true;
  return !process.env['GATEHOUSE_LONG'] === (command === 'npm test');
}

/** Whether all cases of a file are run: by `npm run test:long`, and in the setting of `npm test` by `npm run test:weekly`. */
const isWhole = () => isIn('test:long') || isWeekly;

/** One in `few` of the cases in `npm test`, the last of each such number; all of them in the other commands. */
export function someOf<Case>(few: number, cases: readonly Case[]): Case[] {
  return cases.filter((_, at) => isWhole() || at % few === few - 1);
}

/**
 * A test that `npm test` leaves to the other commands: it starts processes or takes seconds, and others show there that
 * the whole works. What it tests in detail has tests of its own at a lower level.
 */
export const longTest = Object.assign(
  (...[name, run, timeout]: Parameters<typeof test>) => {
    if (isWhole()) test(name, run, timeout);
  },
  { each: ((table: readonly unknown[]) => (isWhole() ? test.each(table) : () => {})) as typeof test.each },
);
