import { expect, test } from '@jest/globals';
import { pinned } from '../harness/pinned.ts';
import { codeRows } from './markdown.ts';

test('docs/inside/maintaining.md has every package that a package.json pins, and why', () => {
  const rows = codeRows('docs/inside/maintaining.md');
  expect(rows.map(([name]) => name).sort()).toEqual(Object.keys(pinned).sort());
  expect(rows.filter(([, why]) => why === undefined || why === '')).toEqual([]);
});
