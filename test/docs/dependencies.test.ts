import { expect, test } from '@jest/globals';
import { pinned } from '../harness/pinned.ts';
import { codeRows } from './markdown.ts';

test('docs/dependencies.md has every package that a package.json pins, its version, and why', () => {
  const rows = codeRows('docs/dependencies.md');
  const documented = Object.fromEntries(rows.map(([name, version]) => [name, version]));
  expect(documented).toEqual(pinned);
  expect(rows.filter(([, , why]) => why === undefined || why === '')).toEqual([]);
});
