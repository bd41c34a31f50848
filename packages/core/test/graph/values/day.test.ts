import { describe, expect, test } from '@jest/globals';
import { day, daysUntil } from '../../../src/graph/values/day.ts';
import { parseInstant } from '../../../src/graph/values/instant.ts';

describe('a day in the configuration', () => {
  test.each(['2026-12-31', '2028-02-29', '0000-01-01', '9999-12-31'])('is %s', (text) => {
    expect(day.parse(text)).toBe(text);
  });

  test('is one that is not quoted, as Pulumi passes it', () => {
    expect(day.parse('2026-12-31 00:00:00 +0000 UTC')).toBe('2026-12-31');
  });

  test.each<unknown>([
    '2026-02-29',
    '2026-13-01',
    '2026-12-32',
    '2026-1-2',
    '2026-12-31T00:00:00Z',
    '2026-12-31+01:00',
    '2026-12-31T00:00:00+01:00',
    '2026-12-31 12:00:00 +0000 UTC',
    '2026-12-31 00:00:00 +0100 +0100',
    '2026-12-31\n',
    ' 2026-12-31',
    'tomorrow',
    '',
  ])('is not %j', (text) => {
    const [issue] = day.safeParse(text).error?.issues ?? [];
    expect(issue?.message).toContain('must be a day of the calendar, as 2026-12-31');
  });

  test.each<unknown>([20261231, { day: 31 }, null, new Date(0)])('is no %p', (value) => {
    expect(day.safeParse(value).success).toBe(false);
  });
});

describe('daysUntil', () => {
  test.each([
    ['2026-12-22T00:00:00Z', 9],
    ['2026-12-22T23:59:59.999999999Z', 9],
    ['2026-12-30T23:59:59Z', 1],
    ['2026-12-31T00:00:00Z', 0],
    ['2026-12-31T23:59:59.999999999Z', 0],
    ['2027-01-01T00:00:00Z', -1],
    // Still the last day in UTC.
    ['2027-01-01T01:00:00+02:00', 0],
  ])('from %s to 2026-12-31 is %i', (now, days) => {
    expect(daysUntil('2026-12-31', parseInstant(now) ?? 0n)).toBe(days);
  });
});
