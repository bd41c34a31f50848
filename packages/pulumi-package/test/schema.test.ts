import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { isOutdated } from '../schema.ts';

const folder = temporaryFolder();

const schema = join(folder, 'schema.json');
function written(name: string, second: number): void {
  writeFileSync(join(folder, name), '');
  utimesSync(join(folder, name), second, second);
}

test('the schema is written where it is missing, and where a module is newer', () => {
  written('role.ts', 100);
  expect(isOutdated(schema, [folder])).toBe(true);
  written('schema.json', 200);
  written('README.md', 300);
  expect(isOutdated(schema, [folder])).toBe(false);
  written('policy.ts', 300);
  expect(isOutdated(schema, [folder])).toBe(true);
});
