import { expect, test } from '@jest/globals';
import { errorCodes } from '../../packages/core/src/graph/values/error-codes.ts';
import { projectFiles, read } from './markdown.ts';

const codes = Object.values(errorCodes).flatMap((area) => Object.keys(area));

test('each code of an error is used', () => {
  const source = projectFiles('*.ts', '*.mjs')
    .filter((file) => !/(^|\/)(test|examples)\/|\/error-codes\.ts$/.test(file))
    .map(read)
    .join('');
  expect(codes.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
});

test('each code of an error is listed once', () => {
  expect(codes).toHaveLength(new Set(codes).size);
});
