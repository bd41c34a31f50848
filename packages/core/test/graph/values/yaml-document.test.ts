import { describe, expect, test } from '@jest/globals';
import { mostByAliases, yamlValue } from '../../../src/graph/values/yaml-document.ts';

const read = (text: string) => yamlValue('main.yaml', text);

/** Each line a list of aliases of the line before: a few hundred letters, and as many values as `times` to the `levels`. */
function bomb(levels: number, times: number, first = '1'): string {
  return Array.from({ length: levels }, (_, level) => {
    const items =
      level === 0
        ? first
        : Array(times)
            .fill(`*a${level - 1}`)
            .join(', ');
    return `a${level}: &a${level} [${items}]\n`;
  }).join('');
}

describe('the value of a YAML file', () => {
  test.each<[string, string, unknown]>([
    ['nothing', '', null],
    [
      'scalars of YAML 1.2',
      'a: [1, 1.5, 0777, true, yes, ~, "2", 2026-12-01T00:00:00Z]',
      {
        a: [1, 1.5, 777, true, 'yes', null, '2', '2026-12-01T00:00:00Z'],
      },
    ],
    ['keys that are no texts', '{ 1: a, true: b, ~: c }', { 1: 'a', true: 'b', '': 'c' }],
    ['an alias', 'a: &x { b: 1 }\nc: [*x, *x]', { a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] }],
    ['an alias of a text, also as a key', 'a: &x b\n*x : *x', { a: 'b', b: 'b' }],
    ['the last anchor of a name', 'a: &x 1\nb: *x\nc: &x 2\nd: *x', { a: 1, b: 1, c: 2, d: 2 }],
    ['an anchor of the same name inside', 'a: &x [&x 1, *x]\nb: *x', { a: [1, 1], b: 1 }],
  ])('%s', (_, text, value) => {
    expect(read(text)).toEqual(value);
  });

  test('has a key __proto__ as any other', () => {
    expect(Object.keys(read('{ __proto__: { a: 1 } }') as object)).toEqual(['__proto__']);
  });

  test.each([
    ['no YAML', 'a: {', /^main\.yaml:1:5: This is not valid YAML: /],
    ['two documents', 'a: 1\n---\nb: 1', /^main\.yaml:2:1: The file must be one YAML document/],
    ['an alias of nothing', 'a: *b', /^main\.yaml:1:4: No anchor `&b` comes before this\./],
    ['an alias before its anchor', 'a: *b\nc: &b 1', /^main\.yaml:1:4: No anchor/],
    [
      'an anchor that contains itself',
      'a: &b { c: *b }',
      /^main\.yaml:1:12: The anchor `&b` contains itself\./,
    ],
    ['a list as a key', '? [a]\n: b', /^main\.yaml:1:3: A key must be a string\./],
  ])('is refused for %s', (_, text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'stack_file_invalid', message: expect.stringMatching(message) }),
    );
  });
});

describe('aliases may add a limited size', () => {
  test('many roles may share what they have', () => {
    const roles = Array.from({ length: 2_000 }, (_, at) => `- { name: r${at}, policies: *p, claims: *c }\n`);
    const value = read(`- { name: r, policies: &p [a, b], claims: &c { project: x } }\n${roles.join('')}`);
    expect(value).toHaveLength(2_001);
    expect((value as object[]).at(-1)).toEqual({
      name: 'r1999',
      policies: ['a', 'b'],
      claims: { project: 'x' },
    });
  });

  test.each([
    ['aliases of aliases', bomb(10, 10)],
    ['more of them than a number can count', bomb(400, 10)],
    ['one list, often', `a: &a [${'1, '.repeat(1000)}]\nb: [${'*a, '.repeat(600)}]`],
    ['one long text, often', `a: &a ${'x'.repeat(100_000)}\nb: [${'*a, '.repeat(600)}]`],
    ['keys', bomb(10, 10).replaceAll('[*', '[? *')],
    [
      'merged maps',
      bomb(10, 10).replaceAll('[', '{ <<: [').replaceAll(']', '] }').replace('[1]', '{ b: 1 }'),
    ],
  ])('refused: %s', (_, text) => {
    expect(text.length).toBeLessThan(110_000);
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'stack_file_invalid',
        message: expect.stringContaining('Aliases (`*name`) make this too large.'),
      }),
    );
  });

  test('what is written out has no limit', () => {
    const text = 'x'.repeat(3 * mostByAliases);
    expect(read(`[&a b, *a, ${text}]`)).toEqual(['b', 'b', text]);
  });
});
