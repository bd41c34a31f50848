import { expect, test } from '@jest/globals';
import { mutatedSource } from '../../scripts/mutants/source.ts';

const text = `
function decide(a: number, names: string[]): string {
  if (a > 1 && !names.some((name) => name === 'x')) return [...names, 'more'].join(' ');
  return names.length === 0 ? 'none' : 'some';
}
`;

/** What the function answers with one mutation on. */
function answer(active: number, a: number, names: string[]): string {
  const code = mutatedSource('one.ts', text, 1).code.replace(/^import .*?;/, '');
  const decide = new Function('__is', `${code}; return decide;`)((mutation: number) => mutation === active);
  return decide(a, names);
}

test('without a mutation the code does what it did', () => {
  expect([answer(0, 2, ['a']), answer(0, 1, ['a']), answer(0, 2, ['x']), answer(0, 0, [])]).toEqual([
    'a more',
    'some',
    'some',
    'none',
  ]);
});

test('each mutation alone does what it says', () => {
  const { mutations } = mutatedSource('one.ts', text, 1);
  const numberOf = (mutated: string) => 1 + mutations.findIndex((one) => one.mutated === mutated);
  expect(answer(numberOf('a >= 1'), 1, ['a'])).toBe('a more');
  expect(answer(numberOf("name === ''"), 2, ['x'])).toBe('x more');
  expect(answer(numberOf("[...[], 'more']"), 2, ['a'])).toBe('more');
  expect(answer(numberOf('names.length !== 0'), 1, ['a'])).toBe('none');
});

test('with its first number, a source has the numbers that follow', () => {
  const { code, mutations } = mutatedSource('one.ts', text, 100);
  const numbers = [...code.matchAll(/__is\((\d+)\)/g)].map(([, number]) => Number(number));
  expect(numbers.toSorted((a, b) => a - b)).toEqual(mutations.map((_, at) => 100 + at));
});
