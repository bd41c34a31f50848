import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { readImportFile } from '../../src/adopt/import-file.ts';

const folder = temporaryFolder();

function read(resources: object[], rest: object = {}): Promise<Record<string, string>> {
  const path = join(folder, 'import.json');
  writeFileSync(path, JSON.stringify({ nameTable: {}, ...rest, resources }));
  return readImportFile(path, { project: 'login', name: 'prod' });
}
const group = { type: 'a:b:Group', logicalName: 'admins' };
const urn = (types: string, name: string) => `urn:pulumi:prod::login::${types}::${name}`;

describe('an import file (pkg/cmd/pulumi/import.go, parseImportFile)', () => {
  test('tells resources of one type and name apart by their parents, in the file, in the name table, or without any', async () => {
    const parents = [
      { type: 'c:d:Staff', name: 'staff', component: true },
      { type: 'c:d:Part', name: 'part', parent: 'staff', component: true },
    ];
    const children = [
      { ...group, name: 'one', id: '1', parent: 'part' },
      { ...group, name: 'two', id: '2', parent: 'elsewhere' },
      { ...group, name: 'three', id: '3' },
    ];
    const nameTable = { elsewhere: 'urn:pulumi:prod::login::c:d:Other::other' };
    expect(await read([...children, ...parents], { nameTable })).toEqual({
      [urn('c:d:Staff$c:d:Part$a:b:Group', 'admins')]: '1',
      [urn('c:d:Other$a:b:Group', 'admins')]: '2',
      [urn('a:b:Group', 'admins')]: '3',
    });
  });

  test.each<[string, object[]]>([
    [
      'two resources at one place',
      [
        { ...group, name: 'one', id: '1' },
        { ...group, name: 'two', id: '2' },
      ],
    ],
    ['a parent that is not there', [{ ...group, name: 'one', id: '1', parent: 'nobody' }]],
    [
      'a parent that is two',
      ['x', 'y'].map((type) => ({ type: `a:b:${type}`, name: 'it', id: type, parent: 'it' })),
    ],
    ['a parent that is below itself', [{ ...group, name: 'one', id: '1', parent: 'one' }]],
  ])('is refused with %s', async (_, resources) => {
    await expect(read(resources)).rejects.toMatchObject({ code: 'import_ambiguous' });
  });
});
