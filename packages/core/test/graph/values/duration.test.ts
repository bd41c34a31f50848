import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { duration, formatDuration, parseDuration } from '../../../src/graph/values/duration.ts';

describe('parseDuration', () => {
  test.each([
    [0, 0],
    [3600, 3600],
    ['3600', 3600],
    ['0', 0],
    ['0s', 0],
    ['1s', 1],
    ['90m', 5_400],
    ['1h', 3_600],
    ['1h30m', 5_400],
    ['7d', 604_800],
    ['1d2h3m4s', 93_784],
    [' 1h ', 3_600],
  ])('reads %j as %i seconds', (given, seconds) => {
    expect(parseDuration(given)).toBe(seconds);
  });

  test.each([
    ['an empty text', ''],
    ['blanks', '  '],
    ['a word', 'soon'],
    ['a fraction', '1.5h'],
    ['an unknown unit', '1w'],
    ['an upper-case unit', '1H'],
    ['a negative text', '-1h'],
    ['units out of order', '30m1h'],
    ['a unit given twice', '1h1h'],
    ['a blank between', '1h 30m'],
    ['a unit without a number', 'h'],
    ['a negative number', -1],
    ['a fractional number', 1.5],
    ['no number', Number.NaN],
    ['more than a number can hold exactly', '99999999999999999999'],
    ['days that add up to more than that', '999999999999999d'],
    ['true', true],
    ['null', null],
    ['an object', {}],
  ])('refuses %s', (_, given) => {
    expect(parseDuration(given)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [59, '59s'],
    [3_600, '1h'],
    [5_400, '1h30m'],
    [86_400, '1d'],
    [93_784, '1d2h3m4s'],
  ])('writes %i seconds as %s', (seconds, text) => {
    expect(formatDuration(seconds)).toBe(text);
  });

  test('writes what parseDuration reads as the same seconds', () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (seconds) => {
        expect(parseDuration(formatDuration(seconds))).toBe(seconds);
      }),
    );
  });
});

describe('duration', () => {
  test('says what is allowed', () => {
    expect(duration.safeParse('soon').error?.issues[0]?.message).toBe(
      'not a duration: "soon"; allowed: a whole number of seconds (3600), or days, hours, minutes, seconds in that order (1h, 90m, 1h30m)',
    );
  });

  test('says so too of a value that is neither text nor number', () => {
    expect(duration.safeParse(true).error?.issues[0]?.message).toBe(
      'not a duration: true; allowed: a whole number of seconds (3600), or days, hours, minutes, seconds in that order (1h, 90m, 1h30m)',
    );
  });

  test('leaves what it has read as it is', () => {
    fc.assert(
      fc.property(fc.nat(), (seconds) => {
        expect(duration.parse(duration.parse(formatDuration(seconds)))).toBe(seconds);
      }),
    );
  });
});
