import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '../../core/model/errors.ts';

/** Marks the file as ours ("GtHs"), so that another program's database is not taken for a state. */
const applicationId = 0x47744873;
const formatVersion = 1;

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
 * Opens the SQLite file of a state, made where there is none, and locks it until the database is closed or the
 * process ends.
 *
 * @returns `salt`: the `encryptionsalt` under which its secrets are encrypted; null while there has been none.
 * @throws GatehouseError `state_locked`, `state_damaged`, `state_newer`, `state_unwritable`
 */
export function openStateFile(path: string): { database: DatabaseSync; salt: string | null } {
  let database: DatabaseSync | undefined;
  try {
    createIfAbsent(path);
    database = new DatabaseSync(path, { timeout: 0 });
    lock(path, database);
    return { database, salt: readFormat(path, database).salt };
  } catch (cause) {
    database?.close();
    throw explainedStateError(path, cause);
  }
}

/**
 * The file appears under its name complete or not at all, so that an empty file is known to be a damaged one
 * and not mistaken for a state without resources.
 */
function createIfAbsent(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.new-${process.pid}`;
  closeSync(openSync(draft, 'w', 0o600));
  const database = new DatabaseSync(draft);
  try {
    database.exec(`
      BEGIN;
      PRAGMA application_id = ${applicationId};
      CREATE TABLE format (version INTEGER NOT NULL, salt TEXT);
      INSERT INTO format (version) VALUES (${formatVersion});
      CREATE TABLE resources (id INTEGER PRIMARY KEY, state TEXT NOT NULL);
      CREATE TABLE operations (id INTEGER PRIMARY KEY, state TEXT NOT NULL);
      COMMIT;
    `);
    database.close();
    linkSync(draft, path);
  } catch (cause) {
    // Another process may have been first: its file is as good.
    if (!existsSync(path)) throw cause;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Takes SQLite's own lock on the file for as long as the connection lives: the system drops it when the
 * process ends, however it ends. Who holds it is told by a note beside the file, which is nothing but words.
 *
 * With the write-ahead log and `synchronous = NORMAL` a commit is with the system when it returns: a killed
 * process loses nothing, and a power cut may lose the last steps but never damages the file. `FULL` would
 * keep those too, at a flush of the disk for each of the two commits a resource takes: 0.17 ms a commit
 * against 0.03 ms where it was measured. The log may grow to 16 MB before it is worked into the file, which
 * flushes the disk and stops the run meanwhile.
 */
function lock(path: string, database: DatabaseSync): void {
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  if (database.prepare('PRAGMA application_id').get()?.['application_id'] !== applicationId) {
    throw stateDamaged(path, 'it is not a state of Gatehouse');
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096');
  database.exec('BEGIN IMMEDIATE; COMMIT');
  writeFileSync(holderPath(path), JSON.stringify({ pid: process.pid, since: new Date().toISOString() }), {
    mode: 0o600,
  });
}

function holderPath(path: string): string {
  return `${path}.lock`;
}

function readFormat(path: string, database: DatabaseSync): { salt: string | null } {
  const format = database.prepare('SELECT version, salt FROM format').get();
  const version = Number(format?.['version']);
  if (version > formatVersion) {
    throw new GatehouseError({
      code: 'state_newer',
      what: 'The state was written by a newer Gatehouse.',
      given: `format ${version}`,
      allowed: `format ${formatVersion}`,
      mend: 'Update Gatehouse.',
      where: path,
    });
  }
  if (version !== formatVersion) throw stateDamaged(path, 'its format is not given');
  const check = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (check !== 'ok') throw stateDamaged(path, String(check));
  return { salt: typeof format?.['salt'] === 'string' ? format['salt'] : null };
}

/** What SQLite or the system says of the file, as an error a user can act on; anything else as it is. */
export function explainedStateError(path: string, cause: unknown): unknown {
  if (cause instanceof GatehouseError || typeof cause !== 'object' || cause === null) return cause;
  const message = 'message' in cause ? String(cause.message) : '';
  if (!('errcode' in cause)) return 'syscall' in cause ? unwritable(path, message, cause) : cause;
  // An extended code holds the primary one in its lowest byte.
  switch (Number(cause.errcode) & 0xff) {
    case sqlite.busy:
      return locked(path);
    // Of statements that are fixed: a table or column is missing.
    case sqlite.error:
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return stateDamaged(path, message, cause);
    case sqlite.readOnly:
    case sqlite.inputOutput:
    case sqlite.full:
    case sqlite.cannotOpen:
      return unwritable(path, message, cause);
    default:
      return cause;
  }
}

function locked(path: string): GatehouseError {
  let holder = 'another process';
  try {
    const note: unknown = JSON.parse(readFileSync(holderPath(path), 'utf8'));
    if (typeof note === 'object' && note !== null && 'pid' in note && 'since' in note) {
      holder = `process ${note.pid}, since ${note.since}`;
    }
  } catch {
    // The holder has the lock and has not written its note yet.
  }
  return new GatehouseError({
    code: 'state_locked',
    what: `The state is in use by ${holder}.`,
    mend: 'Wait until that run has ended, or end it.',
    where: path,
  });
}

function unwritable(path: string, what: string, cause: unknown): GatehouseError {
  return new GatehouseError({
    code: 'state_unwritable',
    what: `The state cannot be written: ${what}.`,
    mend: 'Give the process write access to the file and its folder, or set GATEHOUSE_HOME to another folder.',
    where: path,
    cause,
  });
}

export function stateDamaged(path: string, what: string, cause?: unknown): GatehouseError {
  return new GatehouseError({
    code: 'state_damaged',
    what: `The state file is damaged: ${what}.`,
    mend: 'Put a backup of the file in its place. Without one, move it away and adopt what is on the service.',
    where: path,
    cause,
  });
}
