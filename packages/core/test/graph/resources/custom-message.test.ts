import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeMessage,
  encodeMessage,
  isActive,
  messageFromWire,
  messageResourceName,
  messageSettings,
} from '../../../src/graph/resources/custom-message.ts';
import { parseInstant } from '../../../src/graph/values/instant.ts';

const least = { title: 'Maintenance', message: 'Saturday', startTime: '2026-12-01T00:00:00Z' };

describe('encodeMessage and decodeMessage', () => {
  test('are each other’s opposite for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const wellFormed = text.toWellFormed();
        expect(decodeMessage(encodeMessage(wellFormed))).toBe(wellFormed);
      }),
    );
  });

  test('keep a byte order mark', () => {
    expect(decodeMessage(encodeMessage('\uFEFFtext'))).toBe('\uFEFFtext');
  });

  test.each([
    ['no base64', 'not base64!'],
    ['a character short', 'SGVsbG8'],
    ['padding in the middle', 'SG=sbG8='],
    ['the alphabet of URLs', '_-__'],
    ['a line break', 'SGVs\nbG8='],
    ['bytes that are no UTF-8', '/w=='],
  ])('decodeMessage refuses %s', (_, wire) => {
    expect(decodeMessage(wire)).toBeUndefined();
  });
});

describe('messageSettings', () => {
  test('fills in type banner and authenticated true, and no end', () => {
    expect(messageSettings.parse(least)).toEqual({ ...least, type: 'banner', authenticated: true });
  });

  test('reads an end of null as none', () => {
    expect(messageSettings.parse({ ...least, endTime: null }).endTime).toBeUndefined();
  });

  test('leaves what it has read as it is', () => {
    const once = messageSettings.parse({
      ...least,
      startTime: '2026-12-01T01:00:00+01:00',
      endTime: '2026-12-02T00:00:00.250Z',
      link: { Status: 'https://status.example.com' },
      options: { color: 'red' },
    });
    expect(messageSettings.parse(once)).toEqual(once);
  });

  test.each([
    ['no title', { title: undefined }, ['title']],
    ['an empty title', { title: '' }, ['title']],
    ['a title of marks alone', { title: '!!!' }, ['title']],
    ['no text', { message: undefined }, ['message']],
    ['no start', { startTime: undefined }, ['startTime']],
    ['a start that is none', { startTime: 'now' }, ['startTime']],
    ['an end at the start', { endTime: least.startTime }, ['endTime']],
    ['an end before the start', { endTime: '2026-11-30T23:59:59.999999999Z' }, ['endTime']],
    ['an unknown type', { type: 'popup' }, ['type']],
    ['a link without an entry', { link: {} }, ['link']],
    ['a link of two entries', { link: { a: 'https://a.example', b: 'https://b.example' } }, ['link']],
    ['a link that runs a script', { link: { a: 'javascript:alert(1)' } }, ['link', 'a']],
    ['a link that is no URL', { link: { a: 'status page' } }, ['link', 'a']],
    ['an unknown field', { color: 'red' }, []],
  ])('refuses %s', (_, change, path) => {
    const issues = messageSettings.safeParse({ ...least, ...change }).error?.issues ?? [];
    expect(issues.map((issue) => issue.path)).toEqual([path]);
  });
});

describe('isActive', () => {
  const message = { startTime: '2026-12-01T00:00:00Z', endTime: '2026-12-02T00:00:00Z' };
  test.each([
    ['2026-11-30T23:59:59.999999999Z', false],
    ['2026-12-01T00:00:00Z', true],
    ['2026-12-01T23:59:59.999999999Z', true],
    ['2026-12-02T00:00:00Z', false],
  ])('is, at %s, %j', (now, expected) => {
    expect(isActive(message, parseInstant(now)!)).toBe(expected);
  });

  test('is true for ever after the start without an end', () => {
    expect(isActive({ startTime: message.startTime }, parseInstant('9999-12-31T00:00:00Z')!)).toBe(true);
  });
});

describe('messageResourceName', () => {
  test.each([
    ['Terms of use', 'terms-of-use'],
    ['  Mind the gap! ', 'mind-the-gap'],
    ['Störung 2', 'störung-2'],
  ])('is, for %j, %s', (title, name) => {
    expect(messageResourceName(title)).toBe(name);
  });
});

describe('messageFromWire', () => {
  const wire = {
    id: '01',
    active: true,
    title: 'Hello',
    message: encodeMessage('Grüß Gott'),
    type: 'modal',
    authenticated: false,
    start_time: '2026-12-01T00:00:00.000000000Z',
    end_time: '2026-12-01T01:00:00.123456789+01:00',
    link: { Status: 'https://status.example.com' },
    options: { color: 'red' },
  };

  test('reads every field, times to the nanosecond in the one form we send', () => {
    expect(messageFromWire(wire)).toEqual({
      title: 'Hello',
      message: 'Grüß Gott',
      type: 'modal',
      authenticated: false,
      startTime: '2026-12-01T00:00:00Z',
      endTime: '2026-12-01T00:00:00.123456789Z',
      link: { Status: 'https://status.example.com' },
      options: { color: 'red' },
    });
  });

  test.each([[null], [''], [undefined]])('reads an end of %j, and no link and options, as absent', (end) => {
    const read = messageFromWire({ ...wire, end_time: end, link: null, options: {} });
    for (const field of ['endTime', 'link', 'options']) expect(read).not.toHaveProperty(field);
  });

  test('reads every text back', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(messageFromWire({ ...wire, message: encodeMessage(text) }).message).toBe(text);
      }),
    );
  });
});
