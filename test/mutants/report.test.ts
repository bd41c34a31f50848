import { expect, test } from '@jest/globals';
import { staleOf } from '../../scripts/mutants/report.ts';

const one = {
  file: 'a.ts',
  within: 'f',
  original: 'a < b',
  mutated: 'a <= b',
  why: 'they are never the same',
};

test('an explanation of a mutation that survives is not stale', () => {
  expect(staleOf([one], [one], [], [one])).toEqual([]);
});

test('an explanation of a mutation that is noticed is stale', () => {
  expect(staleOf([one], [one], [one], [])).toEqual([one]);
});

test('an explanation of code that is not there any more is stale', () => {
  const other = { ...one, original: 'a < c' };
  expect(staleOf([one], [other], [], [])).toEqual([one]);
});

test('of two places with the same text, one that survives is enough', () => {
  expect(staleOf([one], [one, one], [one], [one])).toEqual([]);
});

test('an explanation for a source that was not looked at is not stale', () => {
  expect(staleOf([one], [{ ...one, file: 'b.ts' }], [], [])).toEqual([]);
});
