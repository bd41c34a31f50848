import { expect, test } from '@jest/globals';
import { cannotUnmarshal, quoted } from '../../../core/login/go.ts';

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
