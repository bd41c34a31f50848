import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cleaned } from '../../../src/graph/resources/writes.ts';
import {
  byteLength,
  compareBytes,
  fromBase64,
  isSameBytes,
  toBase64,
  utf8,
} from '../../../src/graph/values/bytes.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud800', 'a\udfff', '\ufeff'),
);

test('texts have the bytes, the length and the order that Node.js gives them', () => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      const [before, after] = [Buffer.from(left), Buffer.from(right)];
      expect(Buffer.from(utf8(left))).toEqual(before);
      expect(byteLength(left)).toBe(Buffer.byteLength(left));
      expect(Math.sign(compareBytes(utf8(left), utf8(right)))).toBe(Buffer.compare(before, after));
      expect(isSameBytes(utf8(left), utf8(right))).toBe(before.equals(after));
    }),
  );
});

test('base64 is that of Node.js, and what is none has no bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const written = Buffer.from(bytes).toString('base64');
      expect(toBase64(bytes)).toBe(written);
      expect(fromBase64(`${written.slice(0, 8)}\r\n ${written.slice(8)}`)).toEqual(bytes);
    }),
  );
  expect(['a', '====', 'ab$d', 'a-_d'].map(fromBase64)).toEqual([undefined, undefined, undefined, undefined]);
});

test('a path is cleaned as Node.js cleans it', () => {
  const segment = fc.constantFrom('..', '.', '', 'v1', 'a', 'b c', '...', 'ä', '\\', '.. ');
  const expected = (path: string) => {
    const sent = posix.normalize(`/v1/${path}`);
    return sent.startsWith('/v1/') ? sent.slice('/v1/'.length).replace(/\/$/, '') : undefined;
  };
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 8 }), (segments) => {
      const path = segments.join('/');
      expect(cleaned(path)).toBe(expected(path));
    }),
    { numRuns: 3000 },
  );
});
