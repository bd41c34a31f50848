import { describe, expect, test } from '@jest/globals';
import { drift } from '../../bench/drift.ts';
import type { Figure } from '../../bench/figure.ts';
import { atMost, figuresText, median } from '../../bench/figure.ts';
import { login } from '../../bench/login.ts';
import { overhead } from '../../bench/overhead.ts';
import { preview } from '../../bench/preview.ts';
import { RateSearch } from '../../bench/rate-search.ts';
import { review } from '../../bench/review.ts';
import { inTurn } from '../../bench/rounds.ts';
import { runTasks } from '../../bench/run-tasks.ts';
import { start } from '../../bench/start.ts';
import { up } from '../../bench/up.ts';

/** Nothing here looks at how long anything takes: a bench says that itself. */
describe('benches run from beginning to end', () => {
  const benches: [string, () => Promise<Figure[]>][] = [
    ['start', () => start({ rounds: 1 })],
    ['preview', () => preview({ roles: 5, rounds: 1 })],
    ['up', () => up({ roles: 5, rounds: 1 })],
    ['review', () => review({ roles: 50, rounds: 1 })],
    ['overhead', () => overhead({ roles: 2 })],
    ['login', () => login({ rounds: 1, seconds: 0.1 })],
    ['login, memory', () => login({ memory: 500 })],
    ['drift', () => drift({ roles: 5, rounds: 1 })],
    [
      'run-tasks',
      () =>
        runTasks({
          arrival: { rate: 20, seconds: 0.1, steps: 2 },
          endToEnd: { resources: 10, requests: 3, rate: 20 },
          idle: { counts: [0, 10], seconds: 0.1, settle: 0 },
        }),
    ],
  ];

  test.each(benches)('%s', async (_name, bench) => {
    const figures = await bench();
    expect(figures.length).toBeGreaterThan(3);
    expect(figuresText(figures)).not.toMatch(/NaN|undefined/);
  });
});

test('sides are measured in turn, the order turned round every second time', async () => {
  const order: string[] = [];
  const side = (name: string) => async (round: number) => {
    order.push(name);
    return round;
  };
  const results = await inTurn(3, { one: side('one'), other: side('other') });
  expect(order).toEqual(['one', 'other', 'other', 'one', 'one', 'other']);
  expect(results).toEqual({ one: [0, 1, 2], other: [0, 1, 2] });
});

test.each([1, 90, 1000, 7777])('the search for the highest rate comes within a tenth of it (%d)', (limit) => {
  const search = new RateSearch(100);
  let steps = 0;
  for (let rate = search.next(); rate !== undefined; rate = search.next(), steps += 1) {
    search.tell(rate, rate <= limit);
  }
  expect(search.held).toBeLessThanOrEqual(limit);
  expect(search.held).toBeGreaterThan(limit * 0.9);
  expect(steps).toBeLessThan(16);
});

test('a rate that not even the lowest comes under is none', () => {
  const search = new RateSearch(4);
  for (let rate = search.next(); rate !== undefined; rate = search.next()) search.tell(rate, false);
  expect(search.held).toBe(0);
});

test('a median is the middle, or half-way between the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});

test('a figure says whether its aim is reached', () => {
  expect(atMost('ratio', 0.4, 0.4, '').met).toBe(true);
  expect(figuresText([atMost('ratio', 0.41, 0.4, '')])).toContain('MISSED: at most 0.4');
});
