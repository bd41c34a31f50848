import { expect, test } from '@jest/globals';
import { cannotUnmarshal, goTime, quoted, wrongBase64Byte } from '../../../src/graph/values/go.ts';

test.each([
  ['a "b" \\', '"a \\"b\\" \\\\"'],
  ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
  ['\u0001\u007f', '"\\x01\\x7f"'],
  ['\u0080\u00a0\u2028', '"\\u0080\\u00a0\\u2028"'],
  ['\ue000\uffff', '"\\ue000\\uffff"'],
  ['\u{1ffff}\u{10ffff}', '"\\U0001ffff\\U0010ffff"'],
  ['ä€\u{10000}\u{1f600}', '"ä€\u{10000}\u{1f600}"'],
])('%j is quoted as Go does', (text, written) => {
  expect(quoted(text)).toBe(written);
});

test.each([
  [[], 'array'],
  [true, 'bool'],
  [7, 'number'],
  [{}, 'object'],
])('%j is for Go an %s', (value, type) => {
  expect(cannotUnmarshal(value, 'value')).toBe(`json: cannot unmarshal ${type} into Go value of type string`);
});

test.each([
  [1_800_000_000n, '2027-01-15 08:00:00 +0000 UTC'],
  [8_640_000_000_001n, '8640000000001 s after 1970'],
])('%s seconds after 1970 are the time %s', (seconds, written) => {
  expect(goTime(seconds)).toBe(written);
});

test.each([
  ['?abc', 0],
  ['ab?c', 2],
  ['abcde', 4],
  ['abc', undefined],
])('the byte of %s that Go does not read is %j', (part, at) => {
  expect(wrongBase64Byte(part)).toBe(at);
});
