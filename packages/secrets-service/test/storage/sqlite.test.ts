import { spawnSync } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { SqliteStorage } from '../../src/storage/sqlite.ts';

const module = new URL('../../src/storage/sqlite.ts', import.meta.url).href;

/** Arguments for a separate Node that runs a few lines with `storage` open on a file. */
function program(path: string, lines: string): string[] {
  return [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    `const { SqliteStorage } = await import(${JSON.stringify(module)});
    const storage = new SqliteStorage(${JSON.stringify(path)}); ${lines}`,
  ];
}

describe('a store in a file', () => {
  let path: string;
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder, 'inner', 'store.sqlite');
  });

  const code = (expected: string) => expect.objectContaining({ code: expected });
  const opening = () => new SqliteStorage(path).close();

  test('is there when it is opened again', () => {
    const first = new SqliteStorage(path);
    first.put('a', 1);
    first.close();
    const second = new SqliteStorage(path);
    expect(second.get('a')).toBe(1);
    second.close();
  });

  test('is readable by its owner alone', () => {
    opening();
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  test('is locked against a second process', () => {
    const storage = new SqliteStorage(path);
    storage.put('a', 1);
    const other = spawnSync(process.execPath, program(path, ''), { encoding: 'utf8' });
    storage.close();
    expect(other.stderr).toContain('storage_locked');
  });

  test.each([
    ['an empty file', ''],
    ['a text', 'hello, I am no database'.repeat(100)],
  ])('%s is said to be damaged, and left as it is', (_, text) => {
    opening();
    writeFileSync(path, text);
    expect(opening).toThrow(code('storage_damaged'));
    expect(statSync(path).size).toBe(text.length);
  });

  test("another program's database is not taken for a store", () => {
    opening();
    rmSync(path);
    new DatabaseSync(path).exec('CREATE TABLE other (id INTEGER)');
    expect(opening).toThrow(code('storage_damaged'));
  });

  test('a store with a page overwritten is said to be damaged', () => {
    const storage = new SqliteStorage(path);
    for (let at = 0; at < 500; at += 1) storage.put(`key-${at}`, 'x'.repeat(100));
    storage.close();
    const size = statSync(path).size;
    const bytes = Buffer.alloc(size, 0x41);
    new DatabaseSync(path, { readOnly: true }).close();
    writeFileSync(path, bytes.subarray(0, 8192), { flag: 'r+' });
    expect(opening).toThrow(code('storage_damaged'));
  });

  test('a store of a newer format is refused', () => {
    opening();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(opening).toThrow(code('storage_newer'));
  });

  test('a folder that is a file is said to be unwritable', () => {
    writeFileSync(join(folder, 'inner'), '');
    expect(opening).toThrow(code('storage_unwritable'));
  });
});
