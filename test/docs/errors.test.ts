import { expect, test } from '@jest/globals';
import { errorTexts } from '../../packages/core/src/graph/values/error-texts.ts';
import { projectFiles, read } from './markdown.ts';

const texts = Object.values(errorTexts).flatMap((area) => Object.keys(area));

const source = projectFiles('*.ts', '*.mjs')
  .filter((file) => !/(^|\/)(test|examples)\/|error-texts\.ts$/.test(file))
  .map(read)
  .join('');

test('each text of an error is used', () => {
  expect(texts.filter((text) => !source.includes(`'${text}'`))).toEqual([]);
});

test('each text of an error is listed once, with the others of its code', () => {
  const codes = texts.map((text) => text.split('.')[0]);
  const runs = codes.filter((code, index) => code !== codes[index - 1]);
  expect(texts).toHaveLength(new Set(texts).size);
  expect(runs).toHaveLength(new Set(codes).size);
});

test('no error is worded where it is thrown', () => {
  expect(source.match(/new \w+\(\{[^}]*\b(?:what|fix): ['"`].*/g) ?? []).toEqual([]);
});
