import { readFileSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { explainedSqliteError, openSqliteFile, type SqliteFileKind } from '../../storage/sqlite-file.ts';

/** The file of a state: its resources and pending operations, and the salt under which its secrets are encrypted. */
export const stateFile: SqliteFileKind = {
  // "GtHs"
  applicationId: 0x47744873,
  formatVersion: 1,
  schema: `
    CREATE TABLE encryption (salt TEXT);
    INSERT INTO encryption DEFAULT VALUES;
    CREATE TABLE resources (id INTEGER PRIMARY KEY, state TEXT NOT NULL);
    CREATE TABLE operations (id INTEGER PRIMARY KEY, state TEXT NOT NULL)
  `,
  locked: (path) =>
    new GatehouseError({
      code: 'state_locked',
      what: `The state is in use by ${holderOf(path)}.`,
      fix: 'Wait until that run has ended, or end it.',
      where: path,
    }),
  newer: (path, version) =>
    new GatehouseError({
      code: 'state_newer',
      what: 'The state was written by a newer Gatehouse.',
      given: `format ${version}`,
      allowed: `format ${stateFile.formatVersion}`,
      fix: 'Update Gatehouse.',
      where: path,
    }),
  unwritable: (path, what, cause) =>
    new GatehouseError({
      code: 'state_unwritable',
      what: `The state cannot be written: ${what}.`,
      fix: 'Give the process write access to the file and its folder, or set GATEHOUSE_HOME to another folder.',
      where: path,
      cause,
    }),
  damaged: (path, what, cause) =>
    new GatehouseError({
      code: 'state_damaged',
      what: `The state file is damaged: ${what}.`,
      fix: 'Put a backup of the file in its place. Without one, move it away and adopt what is on the service.',
      where: path,
      cause,
    }),
};

/**
 * Opens the file of a state, made where there is none, and locks it. Who holds the lock is told by a note beside the
 * file, which is nothing but words.
 *
 * @returns `salt`: the `encryptionsalt` under which its secrets are encrypted; null while there has been none.
 * @throws GatehouseError `state_locked`, `state_damaged`, `state_newer`, `state_unwritable`
 */
export function openStateFile(path: string): { database: DatabaseSync; salt: string | null } {
  const database = openSqliteFile(path, stateFile);
  try {
    const holder = { pid: process.pid, since: new Date().toISOString() };
    writeFileSync(holderPath(path), JSON.stringify(holder), { mode: 0o600 });
    const encryption = database.prepare('SELECT salt FROM encryption').get();
    if (encryption === undefined) throw stateFile.damaged(path, 'it does not say how it is encrypted');
    return { database, salt: typeof encryption['salt'] === 'string' ? encryption['salt'] : null };
  } catch (cause) {
    database.close();
    throw explainedSqliteError(path, stateFile, cause);
  }
}

function holderPath(path: string): string {
  return `${path}.lock`;
}

function holderOf(path: string): string {
  try {
    const note: unknown = JSON.parse(readFileSync(holderPath(path), 'utf8'));
    if (typeof note === 'object' && note !== null && 'pid' in note && 'since' in note) {
      return `process ${note.pid}, since ${note.since}`;
    }
  } catch {
    // The holder has the lock and has not written its note yet.
  }
  return 'another process';
}
