import { describe, expect, test } from '@jest/globals';
import { mutationsOf } from '../../scripts/mutants/mutations.ts';

const mutated = (code: string) => mutationsOf(code).map(({ mutated }) => mutated);

describe('changes', () => {
  test.each([
    ['f(a === b)', ['a !== b']],
    ['f(a !== b)', ['a === b']],
    ['f(a < b)', ['a <= b', 'a >= b']],
    ['f(a && b)', ['a || b']],
    ['f(a && b && c)', ['(a && b) || c', 'a || b']],
    ['f(!a)', ['a']],
    ['f(true)', ['f(false)']],
    ['f(a ? b : c)', ['true ? b : c', 'false ? b : c']],
    ['f(a.filter(b))', ['not(b)']],
    ['f(a?.some((b) => b === c))', ['a?.every((b) => b === c)', 'b !== c']],
    ['f(7)', ['f(8)', 'f(6)']],
    ['f(7n)', ['f(8n)', 'f(6n)']],
    ["f(a === '')", ["a !== ''", "a === 'x'"]],
    ["f(['a'])", ["['']"]],
    ['f([...a, b])', ['[...[], b]']],
  ])('%s', (code, expected) => {
    expect(mutated(`const x = () => { ${code}; };`).filter((text) => text !== '')).toEqual(expected);
  });

  test.each([
    ['a condition to be true, and to be false', 'if (a) b', ['true', 'false']],
    ['a loop never to run, but not to run for ever', 'while (a) b', ['false']],
    ['a statement with an effect to be gone', 'a.b = c;', ['']],
    ['a row of a table to be gone', 'const t = [{ a }, { b }];', ['', '']],
    ['a return before the end to be gone', 'const f = () => { for (;;) { g; return a; } };', ['']],
  ])('%s', (_, code, expected) => {
    expect(mutated(code)).toEqual(expected);
  });
});

test.each<[string, string, string[]?]>([
  ['the arguments of an error', 'throw new Failed(a ? 1 : 2)'],
  ['a text for people', 'f({ words: a ? `b` : `c` })'],
  ['what only the types need', 'const [a = 0] = b'],
  ['the numbers of an order', 'f((a, b) => (a < b ? -1 : 1))', ['true ? -1 : 1', 'false ? -1 : 1']],
  ['the last return', 'const f = () => { return a; }'],
])('leaves %s as it is', (_, code, expected = []) => {
  const all = mutated(code).filter((text) => text !== '');
  expect(all).toEqual(expected);
});

test('names the function and the line', () => {
  const [first] = mutationsOf('function one() {\n  return a === b;\n}');
  expect(first).toMatchObject({ line: 2, within: 'one', original: 'a === b', mutated: 'a !== b' });
});
