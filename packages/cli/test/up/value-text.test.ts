import { describe, expect, test } from '@jest/globals';
import { hidden, type ShownValue, unknown } from '../../src/deployment/shown-value.ts';
import { valueText } from '../../src/up/value-text.ts';

describe('valueText', () => {
  test.each<[ShownValue, string]>([
    ['text', '"text"'],
    ['[secret]', '"[secret]"'],
    [hidden, '[secret]'],
    [unknown, 'output<string>'],
    [null, 'null'],
    [3600, '3600'],
    [true, 'true'],
    [[], '[]'],
    [{}, '{}'],
    [['a', 1], '["a", 1]'],
    [{ a: 1, 'b c': ['x'] }, '{ a: 1, "b c": ["x"] }'],
    ['two\nlines', '"two\\nlines"'],
    ['a\nb\nc\n', '|\n  a\n  b\n  c'],
    ['a\n\u001b[31mred\nc', '"a\\n\\u001b[31mred\\nc"'],
    ['\u009b31mred', '"\\u009b31mred"'],
  ])('writes %j as %j', (value, text) => {
    expect(valueText(value)).toBe(text);
  });

  test('gives an entry its own line when the whole does not fit on one', () => {
    const long = 'x'.repeat(60);
    expect(valueText([long, { a: long }], '    ')).toBe(
      ['[', `      "${long}"`, `      { a: "${long}" }`, '    ]'].join('\n'),
    );
  });
});
