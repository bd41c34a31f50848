import { createHash, createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hmacOf, sha256Of } from '../../../src/graph/values/digest.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex');

test('digests are those of Node.js, for all sizes around a block', () => {
  for (const size of [...Array(140).keys(), 4095, 4096, 4097, 1_000_000]) {
    const text = 'ä'.repeat(size / 2) + 'a'.repeat(size % 2);
    expect([size, sha256Of(text)]).toEqual([size, sha256(text)]);
    expect([size, hmacOf('text', text)]).toEqual([size, hmac('text', text)]);
    expect([size, hmacOf(text, 'key')]).toEqual([size, hmac(text, 'key')]);
  }
});

test('digests are those of Node.js, for any text and key, also with half a surrogate pair', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('', '\ud800', '\udc00x'),
      (...parts) => {
        const [text, key, half] = parts;
        expect(sha256Of(text + half)).toBe(sha256(text + half));
        expect(hmacOf(text + half, key + half)).toBe(hmac(text + half, key + half));
      },
    ),
  );
});
