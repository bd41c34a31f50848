import { closeSync, existsSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '../core/model/values/errors.ts';

/** What a file of the project's own holds, and what its user is told when it cannot be used. */
export interface SqliteFileKind {
  /** Marks the file (SQLite's `application_id`), so that another program's database is not taken for it. */
  applicationId: number;
  /** Written as SQLite's `user_version`. A file of a higher one is refused. */
  formatVersion: number;
  /** Statements that make an empty file. */
  schema: string;
  locked: (path: string, cause: unknown) => GatehouseError;
  newer: (path: string, formatVersion: number) => GatehouseError;
  unwritable: (path: string, what: string, cause: unknown) => GatehouseError;
  damaged: (path: string, what: string, cause?: unknown) => GatehouseError;
}

/** Result codes of SQLite (sqlite3.h) for a file that cannot be used. */
const sqlite = {
  error: 1,
  busy: 5,
  readOnly: 8,
  inputOutput: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
};

/**
 * Opens a SQLite file, made where there is none and readable by its owner alone. It is locked until the database is
 * closed or the process ends, however it ends.
 *
 * With the write-ahead log and `synchronous = NORMAL` a commit is with the system when it returns: a killed process
 * loses nothing, and a power cut may lose the last commits but never damages the file. `FULL` would keep those too, at
 * a flush of the disk for each: 0.17 ms a commit against 0.03 ms where it was measured. The log may grow to 16 MB
 * before it is worked into the file, which flushes the disk and stops everything meanwhile.
 *
 * @throws GatehouseError those of its kind
 */
export function openSqliteFile(path: string, kind: SqliteFileKind): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    createIfAbsent(path, kind);
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    if (pragma(database, 'application_id') !== kind.applicationId) {
      throw kind.damaged(path, 'it was made by another program');
    }
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096');
    database.exec('BEGIN IMMEDIATE; COMMIT');
    const version = pragma(database, 'user_version');
    if (version > kind.formatVersion) throw kind.newer(path, version);
    if (version !== kind.formatVersion) throw kind.damaged(path, `its format is ${version}`);
    const check = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (check !== 'ok') throw kind.damaged(path, String(check));
    return database;
  } catch (cause) {
    if (database?.isOpen) database.close();
    throw explainedSqliteError(path, kind, cause);
  }
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
}

/** The file appears under its name complete or not at all, so that an empty file is known to be a damaged one. */
function createIfAbsent(path: string, { applicationId, formatVersion, schema }: SqliteFileKind): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.new-${process.pid}`;
  closeSync(openSync(draft, 'w', 0o600));
  const database = new DatabaseSync(draft);
  try {
    database.exec(`
      BEGIN;
      PRAGMA application_id = ${applicationId};
      PRAGMA user_version = ${formatVersion};
      ${schema};
      COMMIT;
    `);
    database.close();
    linkSync(draft, path);
  } catch (cause) {
    // Another process may have been first: its file is as good.
    if (!existsSync(path)) throw cause;
  } finally {
    if (database.isOpen) database.close();
    rmSync(draft, { force: true });
  }
}

/** What SQLite or the system says of a file, as an error a user can act on; anything else as it is. */
export function explainedSqliteError(path: string, kind: SqliteFileKind, cause: unknown): unknown {
  if (cause instanceof GatehouseError || typeof cause !== 'object' || cause === null) return cause;
  const message = 'message' in cause ? String(cause.message) : '';
  if (!('errcode' in cause)) return 'syscall' in cause ? kind.unwritable(path, message, cause) : cause;
  // An extended code holds the primary one in its lowest byte.
  switch (Number(cause.errcode) & 0xff) {
    case sqlite.busy:
      return kind.locked(path, cause);
    // Of statements that are fixed: a table or column is missing.
    case sqlite.error:
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return kind.damaged(path, message, cause);
    case sqlite.readOnly:
    case sqlite.inputOutput:
    case sqlite.full:
    case sqlite.cannotOpen:
      return kind.unwritable(path, message, cause);
    default:
      return cause;
  }
}
