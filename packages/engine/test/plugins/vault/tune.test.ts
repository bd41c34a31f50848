import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatGoDuration, parseGoDuration } from '../../../src/go-duration.ts';

test.each([
  ['1h', 3600],
  ['1h30m', 5400],
  ['200s', 200],
  ['1.5m', 90],
  ['500ms', 0.5],
  ['0', 0],
  ['0s', 0],
])('%s is %d seconds', (text, seconds) => {
  expect(parseGoDuration(text)).toBeCloseTo(seconds);
});

test.each(['', '1', '1d', 'h', '1 h', '-1h', 'soon', '1h30'])('"%s" is no duration', (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});

test.each([
  [2_764_800, '768h'],
  [200, '3m20s'],
  [3600, '1h'],
  [0, '0s'],
])('%d seconds are written %s', (seconds, text) => {
  expect(formatGoDuration(seconds)).toBe(text);
});

test('what is written reads the same', () => {
  fc.assert(
    fc.property(fc.nat(), (seconds) => expect(parseGoDuration(formatGoDuration(seconds))).toBe(seconds)),
  );
});
