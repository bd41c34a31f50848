import { describe, expect, test } from '@jest/globals';
import { isWeekly } from '../../../test/harness/weekly-run.ts';
import { figuresText, type Options } from '../frame.ts';
import { measure } from '../run.ts';

async function expectRightResults(name: string, options: Options): Promise<void> {
  const figures = await measure(name, options);
  expect(figures.length).toBeGreaterThan(1);
  expect(figuresText(figures)).not.toMatch(/NaN|undefined/);
  expect(figures.filter(({ isResult, isMet }) => isResult && !isMet)).toEqual([]);
}

/** Sizes at which a bench takes some seconds, in which only its code and its result are looked at. */
const small: [string, Options][] = [
  ['preview', { n: 20, rounds: 1 }],
  ['up', { n: 20, rounds: 1 }],
  ['review', { n: 200, rounds: 1 }],
  ['who-can', { n: 100, rounds: 1 }],
  ['drift', { n: 20, rounds: 1 }],
  ['many', { n: 4, rounds: 1 }],
  ['usage', { n: 5000, rounds: 1 }],
  ['run-tasks', { n: 50, seconds: 1, rate: 20 }],
];

/** Real sizes, or the largest that take half a minute of one core; and `start`, which has no size. */
const real: [string, Options][] = [
  ['start', { rounds: 1 }],
  ['preview', { n: 400, rounds: 1 }],
  ['up', { n: 1000, rounds: 1 }],
  ['review', { n: 5000, rounds: 1 }],
  ['who-can', { rounds: 1 }],
  ['drift', { n: 500, rounds: 1 }],
  ['many', { n: 80, rounds: 1 }],
  ['usage', { n: 400_000, rounds: 1 }],
  ['run-tasks', { n: 2000, seconds: 1, rate: 40 }],
];

/** Nothing here looks at how long anything takes: a bench says that itself. */
describe('benches have the right results', () => {
  test.each(isWeekly ? real : small)('%s %j', expectRightResults, 600_000);
});
