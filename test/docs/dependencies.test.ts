import { expect, test } from '@jest/globals';
import { codeRows, read } from './markdown.ts';

test('docs/dependencies.md has every package of package.json, its version, and why', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  const rows = codeRows('docs/dependencies.md');
  const documented = Object.fromEntries(rows.map(([name, version]) => [name, version]));
  expect(documented).toEqual({ ...dependencies, ...devDependencies });
  expect(rows.filter(([, , why]) => why === undefined || why === '')).toEqual([]);
});
