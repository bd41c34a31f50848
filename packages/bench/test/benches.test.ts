import { expect, test } from '@jest/globals';
import { figure, figuresText, inTurn, median, percentile } from '../frame.ts';

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

test('a median is the middle, or half-way between the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
});

test('a percentile is the value that this part does not exceed', () => {
  expect(percentile([5, 1, 4, 2, 3], 0.99)).toBe(5);
  expect(percentile([5, 1, 4, 2, 3], 0.5)).toBe(3);
});

test('a figure says whether its aim is reached', () => {
  expect(figure('ratio', 0.4, '', 0.4).isMet).toBe(true);
  expect(figuresText([figure('ratio', 0.41, '', 0.4)])).toContain('MISSED: at most 0.4');
});
