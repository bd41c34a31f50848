import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseStrictJson } from '../../../src/graph/values/strict-json.ts';

test('reads what JSON reads, unless a name is there twice', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each(['{"a":1,"a":2}', '[{"b":{"a":[],"a":{}}}]', '{"a\\"":1,"a\\u0022":2}'])('refuses %s', (text) => {
  expect(() => parseStrictJson(text)).toThrow(SyntaxError);
});
