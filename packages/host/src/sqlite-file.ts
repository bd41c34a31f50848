import { closeSync, existsSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '@gatehouse/core/values';

/** A kind of file: its content, and its errors. */
export interface SqliteFileKind {
  /** Marks the file (SQLite's `application_id`), so another program's database is not mistaken for it. */
  applicationId: number;
  /** Stored as SQLite's `user_version`. Files with a higher version are refused. */
  formatVersion: number;
  /** Statements that create an empty file. */
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
 * Opens a SQLite file, or creates it, readable only by its owner. It is locked until the database is closed or the
 * process ends, however it ends.
 *
 * With the write-ahead log and `synchronous = NORMAL`, a killed process loses nothing; a power cut may lose the last
 * commits but never damages the file (docs/adr/0004-state-durability.md). The log may grow to 16 MB before a
 * checkpoint, which flushes the disk and blocks everything meanwhile.
 *
 * @throws GatehouseError one of the kind's errors
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

/** The file appears complete or not at all, so an empty file is a damaged one. */
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
    // Another process may have created it first.
    if (!existsSync(path)) throw cause;
  } finally {
    if (database.isOpen) database.close();
    rmSync(draft, { force: true });
  }
}

/** Converts an error of SQLite or the system to one that the user can act on; returns others unchanged. */
export function explainedSqliteError(path: string, kind: SqliteFileKind, cause: unknown): unknown {
  if (cause instanceof GatehouseError || typeof cause !== 'object' || cause === null) return cause;
  const message = 'message' in cause ? String(cause.message) : '';
  if (!('errcode' in cause)) return 'syscall' in cause ? kind.unwritable(path, message, cause) : cause;
  // The lowest byte of an extended code is the primary code.
  switch (Number(cause.errcode) & 0xff) {
    case sqlite.busy:
      return kind.locked(path, cause);
    // Our statements are fixed, so a table or column is missing.
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
