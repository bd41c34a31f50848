import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatInstant, instant, parseInstant } from '../../../src/graph/values/instant.ts';

const second = 1_000_000_000n;
/** Nanoseconds from the year 0000 to the end of 9999, which is all that RFC 3339 can write. */
const nanoseconds = fc.bigInt({ min: -62_167_219_200n * second, max: 253_402_300_800n * second - 1n });

describe('parseInstant', () => {
  test.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T00:00:01z', second],
    ['1970-01-01t00:00:01Z', second],
    ['1970-01-01T01:00:00+01:00', 0n],
    ['1969-12-31T18:30:00-05:30', 0n],
    ['1970-01-01T00:00:00.5Z', 500_000_000n],
    ['1970-01-01T00:00:00.000000001Z', 1n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    // RFC 3339 limits no digits; Go cuts the tenth off.
    ['1970-01-01T00:00:00.0123456789Z', 12_345_678n],
    [`1970-01-01T00:00:00.${'9'.repeat(50)}+00:00`, 999_999_999n],
    ['2024-02-29T00:00:00Z', 1_709_164_800n * second],
    ['0000-01-01T00:00:00Z', -62_167_219_200n * second],
  ])('reads %s', (text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  test.each([
    ['a date alone', '2026-12-01'],
    ['no zone', '2026-12-01T00:00:00'],
    ['no seconds', '2026-12-01T00:00Z'],
    ['a blank for the T', '2026-12-01 00:00:00Z'],
    ['30 February', '2026-02-30T00:00:00Z'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['day 0', '2026-01-00T00:00:00Z'],
    ['25 o’clock', '2026-01-01T25:00:00Z'],
    ['24 o’clock', '2026-01-01T24:00:00Z'],
    ['minute 60', '2026-01-01T00:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['a point without digits', '2026-01-01T00:00:00.Z'],
    ['an offset of 24 hours', '2026-01-01T00:00:00+24:00'],
    ['an offset of 60 minutes', '2026-01-01T00:00:00+00:60'],
    ['an offset without a colon', '2026-01-01T00:00:00+0100'],
    ['an instant before the year 0000 in UTC', '0000-01-01T00:00:00+01:00'],
    ['an instant after the year 9999 in UTC', '9999-12-31T23:59:59-01:00'],
    ['a word', 'tomorrow'],
    ['an empty text', ''],
    ['a line break at the end', '2026-12-01T00:00:00Z\n'],
  ])('refuses %s', (_, text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test('agrees with Date on every whole second', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
        const text = new Date(seconds * 1_000).toISOString();
        expect(parseInstant(text)).toBe(BigInt(seconds) * second);
      }),
    );
  });
});

describe('formatInstant', () => {
  test.each([
    [0n, '1970-01-01T00:00:00Z'],
    [500_000_000n, '1970-01-01T00:00:00.5Z'],
    [1n, '1970-01-01T00:00:00.000000001Z'],
    [-1n, '1969-12-31T23:59:59.999999999Z'],
  ])('writes %s nanoseconds as %s', (given, text) => {
    expect(formatInstant(given)).toBe(text);
  });

  test('writes what parseInstant reads as the same instant', () => {
    fc.assert(
      fc.property(nanoseconds, (given) => {
        expect(parseInstant(formatInstant(given))).toBe(given);
      }),
    );
  });

  test('writes whole seconds so that their texts are in the order of the instants', () => {
    const wholeSeconds = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }).map(BigInt);
    fc.assert(
      fc.property(wholeSeconds, wholeSeconds, (a, b) => {
        expect(formatInstant(a * second) < formatInstant(b * second)).toBe(a < b);
      }),
    );
  });
});

describe('instant', () => {
  test('turns any spelling into the one that is sent', () => {
    expect(instant.parse('2026-12-01T01:00:00.500+01:00')).toBe('2026-12-01T00:00:00.5Z');
  });

  test('leaves what it has read as it is', () => {
    fc.assert(
      fc.property(nanoseconds, (given) => {
        const text = formatInstant(given);
        expect(instant.parse(text)).toBe(text);
      }),
    );
  });

  test('says what is allowed', () => {
    expect(instant.safeParse('tomorrow').error?.issues[0]?.message).toBe(
      'not an RFC 3339 instant: "tomorrow"; allowed: for example 2026-12-01T00:00:00Z or 2026-12-01T01:00:00+01:00',
    );
  });
});
