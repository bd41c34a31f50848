import { closeSync, existsSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '../../../core/model/errors.ts';
import type { Json, Storage } from './storage.ts';

/** Marks the file as ours ("GtSs"), so that another program's database is not taken for a store. */
const applicationId = 0x47745373;
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
 * Keeps everything in one SQLite file, made where there is none and readable by its owner alone; locked until
 * `close` or the end of the process. What a transaction stored is with the system when it returns: a killed process
 * loses nothing, and a power cut may lose the last transactions but never damages the file.
 *
 * @throws GatehouseError `storage_locked`, `storage_damaged`, `storage_newer`, `storage_unwritable`
 */
export class SqliteStorage implements Storage {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(path: string) {
    this.#path = path;
    let database: DatabaseSync | undefined;
    try {
      createIfAbsent(path);
      database = new DatabaseSync(path, { timeout: 0 });
      lock(path, database);
      this.#statements = prepareStatements(database);
    } catch (cause) {
      if (database?.isOpen) database.close();
      throw explained(path, cause);
    }
    this.#database = database;
  }

  get(key: string): Json | undefined {
    const row = this.#explaining(() => this.#statements.get.get(key));
    return row === undefined ? undefined : this.#parse(row);
  }

  put(key: string, value: Json): void {
    this.#explaining(() => this.#statements.put.run(key, JSON.stringify(value)));
  }

  delete(key: string): void {
    this.#explaining(() => this.#statements.delete.run(key));
  }

  list(prefix: string): [key: string, value: Json][] {
    const end = afterPrefix(prefix);
    const rows = this.#explaining(() =>
      end === undefined ? this.#statements.listAll.all() : this.#statements.list.all(prefix, end),
    );
    return rows.map((row) => [String(row['key']), this.#parse(row)]);
  }

  transaction<Result>(work: () => Result): Result {
    // One inside another is part of it: it is stored when the outer one is.
    if (this.#database.isTransaction) return work();
    this.#explaining(() => this.#statements.begin.run());
    try {
      const result = work();
      this.#explaining(() => this.#statements.commit.run());
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #explaining<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      throw explained(this.#path, cause);
    }
  }

  #parse(row: Record<string, unknown>): Json {
    try {
      return JSON.parse(String(row['value']));
    } catch (cause) {
      throw damaged(this.#path, `the entry ${row['key']} cannot be read`, cause);
    }
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    get: database.prepare('SELECT key, value FROM entries WHERE key = ?'),
    put: database.prepare(
      'INSERT INTO entries (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    ),
    delete: database.prepare('DELETE FROM entries WHERE key = ?'),
    list: database.prepare('SELECT key, value FROM entries WHERE key >= ? AND key < ? ORDER BY key'),
    listAll: database.prepare('SELECT key, value FROM entries ORDER BY key'),
  };
}

/** The least text after all that begin with `prefix`; undefined when none is. Keys are plain ASCII (key.ts). */
function afterPrefix(prefix: string): string | undefined {
  if (prefix === '') return undefined;
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

/** The file appears under its name complete or not at all, so that an empty file is known to be a damaged one. */
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
      PRAGMA user_version = ${formatVersion};
      CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
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

/** Takes SQLite's own lock for as long as the connection lives: the system drops it when the process ends. */
function lock(path: string, database: DatabaseSync): void {
  database.exec('PRAGMA locking_mode = EXCLUSIVE');
  if (database.prepare('PRAGMA application_id').get()?.['application_id'] !== applicationId) {
    throw damaged(path, 'it is not a store of the secrets service');
  }
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version > formatVersion) {
    throw new GatehouseError({
      code: 'storage_newer',
      what: 'The store of the secrets service was written by a newer Gatehouse.',
      given: `format ${version}`,
      allowed: `format ${formatVersion}`,
      mend: 'Update Gatehouse.',
      where: path,
    });
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096');
  database.exec('BEGIN IMMEDIATE; COMMIT');
  const check = database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
  if (check !== 'ok') throw damaged(path, String(check));
}

/** What SQLite or the system says of the file, as an error a user can act on; anything else as it is. */
function explained(path: string, cause: unknown): unknown {
  if (cause instanceof GatehouseError || typeof cause !== 'object' || cause === null) return cause;
  const message = 'message' in cause ? String(cause.message) : '';
  if (!('errcode' in cause)) return 'syscall' in cause ? unwritable(path, message, cause) : cause;
  // An extended code holds the primary one in its lowest byte.
  switch (Number(cause.errcode) & 0xff) {
    case sqlite.busy:
      return new GatehouseError({
        code: 'storage_locked',
        what: 'The store of the secrets service is in use by another process.',
        mend: 'Stop the service that runs on it, or name another file.',
        where: path,
        cause,
      });
    // Of statements that are fixed: a table or column is missing.
    case sqlite.error:
    case sqlite.corrupt:
    case sqlite.notADatabase:
      return damaged(path, message, cause);
    case sqlite.readOnly:
    case sqlite.inputOutput:
    case sqlite.full:
    case sqlite.cannotOpen:
      return unwritable(path, message, cause);
    default:
      return cause;
  }
}

function unwritable(path: string, what: string, cause: unknown): GatehouseError {
  return new GatehouseError({
    code: 'storage_unwritable',
    what: `The store of the secrets service cannot be written: ${what}.`,
    mend: 'Give the process write access to the file and its folder, or name another file.',
    where: path,
    cause,
  });
}

function damaged(path: string, what: string, cause?: unknown): GatehouseError {
  return new GatehouseError({
    code: 'storage_damaged',
    what: `The store of the secrets service is damaged: ${what}.`,
    mend: 'Put a backup of the file in its place, or move it away to start with an empty one.',
    where: path,
    cause,
  });
}
