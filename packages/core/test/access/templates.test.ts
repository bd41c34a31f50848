import { expect, test } from '@jest/globals';
import { fillings } from '../../src/access/templates.ts';
import { Budget, OutOfBudget } from '../../src/graph/values/budget.ts';

/** What the first pattern becomes by each filling; `-` is the template itself. */
const filled = (patterns: string[], changed: string[] = patterns.slice(1)) =>
  [...fillings(patterns, new Set(changed), new Budget())].map((fill) => fill?.(patterns[0] ?? '') ?? '-');

test.each<[why: string, patterns: string[], becomes: string[], changed?: string[]]>([
  ['nothing to fill in', ['a/b', 'a/c'], []],
  ['a word that another pattern has', ['a/{{x}}', 'a/b'], ['a/b']],
  ['the beginning of a word, and something behind it', ['a/{{x}}', 'a/b*'], ['a/b', 'a/bx']],
  ['any word of a folder', ['a/{{x}}', 'a/*'], []],
  ['a + is any word', ['a/{{x}}', 'a/+'], []],
  ['a word elsewhere', ['a/{{x}}', 'c/b', 'a/b/c/d'], []],
  ['a word of a folder below', ['a/{{x}}', 'a/b/c'], ['a/b']],
  ['a word of a folder two below', ['a/{{x}}', 'a/b/c/d'], []],
  ['nothing, where a list of the folder above is asked', ['a/b/{{x}}', 'a/b'], ['a/b/']],
  ['nothing in a folder two above', ['a/b/{{x}}', 'a'], []],
  ['a word where a prefix reaches', ['a/{{x}}/c*', 'a/b/c/d/e', 'a/b/d'], ['a/b/c*']],
  ['a prefix of the prefix', ['a/{{x}}/cc*', 'a/b/c*'], ['a/b/cc*']],
  ['another prefix', ['a/{{x}}/cc*', 'a/b/d*', 'a/b/c', 'a/b/dd'], []],
  ['no change is near', ['a/{{x}}', 'a/b'], [], ['c']],
  ['the word is not near the change', ['a/{{x}}', 'a/b', 'a/c'], ['a/c'], ['a/c']],
  ['the template itself changes', ['a/{{x}}', 'a/b', 'c/d'], ['a/b'], ['a/{{x}}']],
  ['another template', ['a/{{x}}', 'a/{{y}}'], ['a/{{y}}', 'a/{{x}}', 'a/{{x}}'], ['a/{{y}}']],
  ['two templates, each and both', ['a/{{x}}/{{y}}', 'a/b/c'], ['a/b/{{y}}', 'a/{{x}}/c', 'a/b/c']],
  ['one template twice', ['{{x}}/{{x}}', 'b/c'], ['b/b', 'c/c']],
  ['one template twice in a segment', ['a/{{x}}{{x}}', 'a/bb', 'a/bc'], ['a/bb']],
  ['letters around it', ['a/p-{{x}}-q', 'a/p-b-q', 'a/p-b', 'a/b-q'], ['a/p-b-q']],
  ['nothing between letters', ['a/p-{{x}}-q', 'a/p--q'], ['a/p--q']],
  ['every way to cut a word in two', ['a/{{x}}-{{y}}', 'a/b-c-d', 'a/b'], ['a/b-c-d', 'a/b-c-d']],
  [
    'two templates without a letter between, one of which may be nothing',
    ['a/{{x}}{{y}}', 'a/bcd'],
    ['a/bcd', 'a/bcd', 'a/bcd', 'a/bcd'],
  ],
  [
    'a star behind it: a word, what is shorter by a letter, and nothing',
    ['a/{{x}}*', 'a/bcd'],
    ['a/bcd*', 'a/bc*', 'a/*'],
  ],
  ['letters and a star behind it: what a word begins with', ['a/{{x}}b*', 'a/abcbd'], ['a/ab*', 'a/abcb*']],
])('templates stand for %s', (_, patterns, becomes, ...[changed]) => {
  expect(filled(patterns, changed)).toEqual(['-', ...becomes]);
});

const words = (folder: string, count: number) => Array.from({ length: count }, (_, at) => `${folder}/w${at}`);

test('templates are filled in by at most 300 ways, singly and in pairs', () => {
  expect(filled(['a/{{x}}', ...words('a', 300)])).toHaveLength(301);
  expect(() => filled(['a/{{x}}', ...words('a', 301)])).toThrow(OutOfBudget);
  const paired = (count: number) =>
    filled(['a/{{x}}', 'c/{{y}}', ...words('a', count), ...words('c', count)]);
  expect(paired(16)).toHaveLength(1 + 2 * 16 + 16 * 16);
  expect(() => paired(17)).toThrow(OutOfBudget);
});
