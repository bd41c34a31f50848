import { describe, expect, test } from '@jest/globals';
import { HclError, type HclValue, parseHcl } from '../../../src/graph/policies/hcl.ts';

const items = (text: string) => parseHcl(text).items;
const valueIn = (text: string): HclValue | undefined => items(`a = ${text}`)[0]?.value;
const block = (...all: [name: string, value: HclValue, line?: number][]) => ({
  items: all.map(([name, value, line = 0]) => ({ name, value, line })),
});

describe('HCL has', () => {
  test.each<[string, HclValue]>([
    ['"x"', 'x'],
    ['""', ''],
    ['"a\\"b\\\\\\u00e9\\n"', 'a"b\\é\n'],
    ['"a\tb"', 'a\tb'],
    ['1', 1],
    ['-1.5', -1.5],
    ['true', true],
    ['false', false],
    ['[]', []],
    ['[1, "x", [true]]', [1, 'x', [true]]],
    ['[1,]', [1]],
    ['{}', block()],
    ['{ b = 1, "c" = 2 d = 3 }', block(['b', 1, 1], ['c', 2, 1], ['d', 3, 1])],
    ['{ b { c = 1 } }', { items: [{ name: 'b', value: block(['c', 1, 1]), line: 1, isBlock: true }] }],
    ['[,1,,]', [1]],
    ['"\x24{"a"} \\x41\\101\\U0001F600"', '\x24{"a"} AA😀'],
    ['0x1F', 31],
    ['1e2', 100],
    ['1e', 1],
    ['-.5', -0.5],
    ['<<EOF\nx\n  y\nEOF\n', 'x\n  y\n'],
  ])('the value %s', (text, value) => {
    expect(valueIn(text)).toEqual(value);
  });

  test('signs in quotes as labels', () => {
    for (const label of ['{', '=']) {
      expect(items(`a "${label}" {}`)).toMatchObject([
        { name: 'a', labels: [label], value: block(), start: 7 },
      ]);
    }
  });

  test('blocks with labels, names for them, or none', () => {
    const isBlock = true;
    expect(items('a "b" {}\na c "x" {}\n"d" "e" {}\nf {}')).toEqual([
      { name: 'a', labels: ['b'], value: block(), line: 1, isBlock, start: 7 },
      { name: 'a', labels: ['c', 'x'], value: block(), line: 2, isBlock, start: 18 },
      { name: 'd', labels: ['e'], value: block(), line: 3, isBlock, start: 29 },
      { name: 'f', value: block(), line: 4, isBlock },
    ]);
  });

  test('lines, which comments and blanks count for', () => {
    const text = 'a = 1\n# x\n\n/* y\n y */ b = 2 // z\n\n\tc = 3\n';
    expect(items(text).map(({ line }) => line)).toEqual([1, 5, 7]);
  });

  test('nothing in an empty text', () => {
    expect([items(''), items(' \n# x')]).toEqual([[], []]);
  });
});

describe('HCL has a mistake at its line and column', () => {
  test.each([
    ['a', 'expected = or { after a, got the end', 1, 2],
    ['a 1', 'expected = or { after a, got 1', 1, 3],
    ['a "b" = 1', 'expected = or { after a, got =', 1, 7],
    ['a b c', 'expected = or { after a, got the end', 1, 6],
    ['a "b" ]', 'expected = or { after a, got ]', 1, 7],
    ['a [ ]', 'expected = or { after a, got [', 1, 3],
    ['a ] {}', 'expected = or { after a, got ]', 1, 3],
    ['= 1', 'expected a name or the end of the block, got =', 1, 1],
    ['a = 1 }', 'expected a name or the end of the block, got }', 1, 7],
    ['a = 1,, b = 2', 'expected a name or the end of the block, got ,', 1, 7],
    ['a {\n  b = }', 'expected a value, got }', 2, 7],
    ['a = x', 'expected a value, got x', 1, 5],
    ['a = [1 2]', 'error parsing list, expected comma or list end, got: 2', 1, 8],
    ['a = [1 "b"]', 'error parsing list, expected comma or list end, got: "b"', 1, 8],
    ['a = [1', 'error parsing list, expected comma or list end, got: the end', 1, 7],
    ['\n\n a = $', 'illegal character "$"', 3, 6],
    ['a = "x\ny"', 'the string has no end', 1, 5],
    ['a = "\x24{x', 'the string has no end', 1, 5],
    ['a = <<EOF\nx\nEOF', 'illegal character "<"', 1, 5],
    ['\u00a0a = 1', 'illegal character U+00A0', 1, 1],
    ['a = "\\U00110000"', 'the string has an escape that is not known', 1, 5],
    ['\n/* x\n */ a = 1.2.3', 'expected a name or the end of the block, got .3', 3, 12],
    ['\n"\\q" = 1', 'the string has an escape that is not known', 2, 1],
  ])('%j', (text, what, line, column) => {
    expect(() => parseHcl(text)).toThrow(new HclError(what, { line, column }));
  });
});

test('after a text with a mistake, another is read from its beginning', () => {
  expect(() => parseHcl('abc = "\\q"')).toThrow(HclError);
  expect(items('abcdef = 1')).toEqual([{ name: 'abcdef', value: 1, line: 1 }]);
});

describe('how deep it may go', () => {
  const lists = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const blocks = (depth: number) => `${'a { '.repeat(depth)}${'}'.repeat(depth)}`;
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  test('is sixteen lists, blocks or objects', () => {
    for (const text of [`a = ${lists(16)}`, blocks(16), `{"a":${lists(16)}}`, objects(16)]) {
      expect(items(text)).toHaveLength(1);
    }
  });

  test.each([
    [`a = ${lists(17)}`, 'At 1:21: lists are nested too deeply'],
    [blocks(17), 'At 1:67: blocks are nested too deeply'],
    [`{"a":${lists(17)}}`, 'objects are nested too deeply'],
    [objects(17), 'objects are nested too deeply'],
    [`a = ${'['.repeat(16)}{}${']'.repeat(16)}`, 'blocks are nested too deeply'],
  ])('is no more: %.30s', (text, problem) => {
    expect(() => parseHcl(text)).toThrow(problem);
  });
});

describe('JSON', () => {
  test('is read as attributes without lines', () => {
    expect(parseHcl(' \n{"a": {"b": [1, "x", true]}, "c": false, "d": null}')).toEqual(
      block(['a', block(['b', [1, 'x', true]])], ['c', false], ['d', '']),
    );
  });

  test('has blocks where all that an object or a list holds are objects', () => {
    const text = '{"a": {"b": {"c": {"d": 1}}, "e": {}}, "f": [{"g": 1}, {"h": [{"i": 2}, 3]}]}';
    expect(parseHcl(text).items).toEqual([
      { name: 'a', labels: ['b', 'c'], value: block(['d', 1]), line: 0 },
      { name: 'a', labels: ['e'], value: block(), line: 0 },
      { name: 'f', value: block(['g', 1]), line: 0 },
      { name: 'f', value: block(['h', [block(['i', 2]), 3]]), line: 0 },
    ]);
  });

  test.each([
    ['{"a": 1, "a": 2}', 'the JSON cannot be read, or names something twice'],
    ['{"a": 1', 'the JSON cannot be read, or names something twice'],
  ])('%s is refused', (text, problem) => {
    expect(() => parseHcl(text)).toThrow(new HclError(problem));
  });
});

test('a mistake without a place has none', () => {
  expect(new HclError('x')).toMatchObject({ name: 'HclError', message: 'x' });
});
