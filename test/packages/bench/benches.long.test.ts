import { describe, expect, test } from '@jest/globals';
import { figuresText, type Options } from '../../../packages/bench/frame.ts';
import { measure } from '../../../packages/bench/run.ts';

/** Nothing here looks at how long anything takes: a bench says that itself. */
describe('benches run from beginning to end', () => {
  test.each<[string, Options]>([
    ['start', { rounds: 1 }],
    ['preview', { n: 120, rounds: 1 }],
    ['up', { n: 5, rounds: 1 }],
    ['review', { n: 50, rounds: 1 }],
    ['access', { n: 50, rounds: 1 }],
    ['drift', { n: 5, rounds: 1 }],
    ['many', { n: 2, rounds: 1 }],
    ['usage', { n: 500, rounds: 1 }],
    ['watch', { n: 3, seconds: 15, rounds: 1 }],
    ['run-tasks', { n: 10, seconds: 0.2, rate: 10 }],
  ])(
    '%s %j',
    async (name, options) => {
      const figures = await measure(name, options);
      expect(figures.length).toBeGreaterThan(1);
      expect(figuresText(figures)).not.toMatch(/NaN|undefined/);
    },
    300_000,
  );
});
