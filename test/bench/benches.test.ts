import { expect, test } from '@jest/globals';
import { atMost, figuresText, inTurn, median } from '../../bench/figure.ts';
import { RateSearch } from '../../bench/run-task-arrival.ts';

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
