import { expect, test } from '@jest/globals';
import { addAll, largestOf, smallestOf } from '../../../src/graph/values/sequences.ts';

const million = Array.from({ length: 1_000_000 }, (_, index) => index);

test('a list grows by a million items', () => {
  const list = [-1];
  addAll(list, million);
  expect(list).toHaveLength(1_000_001);
  expect(list.at(-1)).toBe(999_999);
});

test('the largest and the smallest of a million numbers', () => {
  expect(largestOf(million)).toBe(999_999);
  expect(smallestOf(million)).toBe(0);
});

test('of no numbers, the bound', () => {
  expect([largestOf([], 1), smallestOf([], 2)]).toEqual([1, 2]);
  expect([largestOf([]), smallestOf([])]).toEqual([-Infinity, Infinity]);
});
