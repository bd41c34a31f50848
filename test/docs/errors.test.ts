import { expect, test } from '@jest/globals';
import { codeRows, projectFiles, read } from './markdown.ts';

/** What zod calls a problem that a schema of ours reports: no code of an error. */
const zodCodes = ['custom'];

/** Every code of an error in the source, none of it from tests. */
const codes = new Set(
  projectFiles('*.ts', '*.mjs')
    .filter((file) => !/^(test|bench|examples)\//.test(file))
    .flatMap((file) => [...read(file).matchAll(/\bcode: (.*)$/gm)])
    // The whole expression, as a code may be chosen (`asked === undefined ? 'a' : 'b'`), but not what it compares with.
    .flatMap(
      ([, expression = '']) => expression.split(', ')[0]?.match(/(?<!== |\()'[a-z]+(_[a-z]+)*'/g) ?? [],
    )
    .map((quoted) => quoted.slice(1, -1))
    .filter((code) => !zodCodes.includes(code)),
);
const documented = codeRows('docs/errors.md').map(([code]) => code);

test('docs/errors.md has every code of the source', () => {
  expect(codes.size).toBeGreaterThan(80);
  expect([...codes].filter((code) => !documented.includes(code))).toEqual([]);
});

test('docs/errors.md has no code that the source does not have', () => {
  expect(documented.filter((code) => !codes.has(code) && code !== 'unexpected')).toEqual([]);
});

test('docs/errors.md has each code once', () => {
  expect(documented).toHaveLength(new Set(documented).size);
});
