import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { globOf, textIn } from '../../../src/access/sign-in/glob-texts.ts';
import { OutOfBudget } from '../../../src/graph/values/budget.ts';
import { matchesGlob } from '../../../src/login/bound-claims.ts';

const isIncluded = (inner: string[], outer: string[]) =>
  textIn([inner.map(globOf)], outer.map(globOf)) === undefined;

describe('whether globs are included in others', () => {
  const cases: [inner: string[], outer: string[], included: boolean][] = [
    [['a'], ['a'], true],
    [['a'], ['b'], false],
    [['shop/api'], ['shop/*'], true],
    [['shop/*'], ['shop/api'], false],
    [['shop/*'], ['*'], true],
    [['*'], ['shop/*'], false],
    [['*'], ['**'], true],
    [['a*b'], ['a*'], true],
    [['a*'], ['a*b'], false],
    [['a*b*c'], ['a*c'], true],
    [['a*c'], ['a*b*c'], false],
    [['*ab*'], ['*a*b*'], true],
    [['*a*b*'], ['*ab*'], false],
    [['aa*'], ['a*a', 'a*'], true],
    [['a', 'b'], ['b', 'a', 'c'], true],
    [['a', 'd'], ['b', 'a', 'c'], false],
    [['a*'], [], false],
    [[], ['a'], true],
    [['a**b'], ['a*b'], true],
    // Neither alone, both together: what ends in a letter of the alphabet, or in none.
    [['*'], ['a*', '*'], true],
  ];
  test.each(cases)('%j in %j: %s', (inner, outer, included) => {
    expect(isIncluded(inner, outer)).toBe(included);
  });

  const letters = fc.constantFrom('a', 'b', '*');
  const globs = fc.array(
    fc.array(letters, { maxLength: 5 }).map((all) => all.join('')),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  const texts = [''];
  for (const text of texts) {
    if (text.length === 6) break;
    texts.push(`${text}a`, `${text}b`, `${text}c`);
  }

  test('says what trying out every short text says', () => {
    fc.assert(
      fc.property(globs, globs, (inner, outer) => {
        const matches = (list: string[], text: string) => list.some((glob) => matchesGlob(glob, text));
        const counterexample = texts.find((text) => matches(inner, text) && !matches(outer, text));
        // Three patterns of five letters are told apart by texts of six; a shorter answer would be no counterexample.
        if (counterexample !== undefined) expect(isIncluded(inner, outer)).toBe(false);
        else if (!isIncluded(inner, outer)) expect(hasLongerCounterexample(inner, outer)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  /** Random texts that the inner globs match, with more letters where their stars are. */
  function hasLongerCounterexample(inner: string[], outer: string[]): boolean {
    const fills = texts.filter(({ length }) => length <= 3);
    const filled = (glob: string): string[] =>
      glob
        .replace(/\*+/g, '*')
        .split('*')
        .reduce<string[]>(
          (starts, part, at) =>
            at === 0 ? [part] : starts.flatMap((start) => fills.map((fill) => start + fill + part)),
          [],
        );
    return inner.flatMap(filled).some((text) => !outer.some((glob) => matchesGlob(glob, text)));
  }

  test('says nothing rather than something wrong where the walk gets too long', () => {
    const holes = (letters: string) => ['*', ...letters].join('*').concat('*');
    const inner = Array.from({ length: 6 }, (_, at) => [
      globOf(holes('abcdefgh'.slice(at, at + 3).repeat(4))),
    ]);
    expect(() =>
      textIn(inner, [globOf(`${holes('hgfedcba'.repeat(3))}z`), globOf('*x*'), globOf('*h')]),
    ).toThrow(OutOfBudget);
  });

  test.each([
    [[['a*'], ['*b']], [], 'ab'],
    [[['a*'], ['*a']], ['a*a'], 'a'],
    [[['a*'], ['*a']], ['a*a', 'a'], undefined],
    [
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      [],
      'b',
    ],
    [[['b', 'a*'], ['*c']], [], 'ac'],
    [[['x*']], [], 'xy'],
    [[['shop/*'], ['*/*']], [], 'shop/x'],
    [[['a*'], ['*a']], [''], 'a'],
    [[['a*'], ['*a']], ['x*x'], 'a'],
    [[['ab*'], ['*cd']], [], 'abcd'],
    [[['a*'], ['*b*']], ['ab*'], 'axb'],
    [[['a*'], ['*c']], ['ab*'], 'ac'],
    [[['a*'], ['*c']], ['a*c'], undefined],
    [[['a', 'b'], ['c']], [], undefined],
    [[['a*', 'b*'], ['*c']], ['a*'], 'bc'],
    [[], ['x*'], 'y'],
    [[[]], [], undefined],
  ])('a text in all of %j and none of %j: %s', (all, none, text) => {
    expect(
      textIn(
        all.map((globs) => globs.map(globOf)),
        none.map(globOf),
      ),
    ).toBe(text);
  });

  test('is quick where patterns are made to be slow', () => {
    const inner = `*${'a*'.repeat(40)}`;
    const outer = Array.from({ length: 5 }, (_, at) => `*${'a'.repeat(20 + at)}b*`);
    expect(isIncluded([inner], outer)).toBe(false);
  });
});
