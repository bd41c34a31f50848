import type { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '@gatehouse/core/values';
import { explainedSqliteError, openSqliteFile, type SqliteFileKind } from '@gatehouse/host/sqlite-file';
import type { Json, Storage } from './storage.ts';

const storeFile: SqliteFileKind = {
  // "GtSs"
  applicationId: 0x47745373,
  formatVersion: 1,
  schema: 'CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID',
  locked: (path, cause) => new GatehouseError('storage_locked', { where: path, cause }),
  newer: (path, version) =>
    new GatehouseError('storage_newer', {
      given: `format ${version}`,
      allowed: `format ${storeFile.formatVersion}`,
      where: path,
    }),
  unwritable: (path, what, cause) =>
    new GatehouseError('storage_unwritable', { where: path, cause, values: { reason: what } }),
  damaged: (path, what, cause) =>
    new GatehouseError('storage_damaged', { where: path, cause, values: { reason: what } }),
};

/**
 * Stores everything in one SQLite file, readable by its owner only and locked until `close` or the end of the process.
 * A killed process loses nothing; a power cut may lose the last transactions but never damages the file.
 *
 * @throws GatehouseError `storage_locked`, `storage_damaged`, `storage_newer`, `storage_unwritable`
 */
export class SqliteStorage implements Storage {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** Whether a transaction is open. SQLite's begins with the first write: most logins write nothing. */
  #isOpen = false;

  constructor(path: string) {
    this.#path = path;
    this.#database = openSqliteFile(path, storeFile);
    try {
      this.#statements = prepareStatements(this.#database);
    } catch (cause) {
      this.#database.close();
      throw explainedSqliteError(path, storeFile, cause);
    }
  }

  get(key: string): Json | undefined {
    const row = this.#explaining(() => this.#statements.get.get(key));
    return row === undefined ? undefined : this.#parse(row);
  }

  put(key: string, value: Json): void {
    this.#write(() => this.#statements.put.run(key, JSON.stringify(value)));
  }

  delete(key: string): void {
    this.#write(() => this.#statements.delete.run(key));
  }

  list(prefix: string): [key: string, value: Json][] {
    const rows = this.#explaining(() => this.#statements.list.all(prefix, afterPrefix(prefix)));
    return rows.map((row) => [String(row['key']), this.#parse(row)]);
  }

  transaction<Result>(work: () => Result): Result {
    // A nested transaction is part of the outer one.
    if (this.#isOpen) return work();
    this.#isOpen = true;
    try {
      const result = work();
      if (this.#database.isTransaction) this.#explaining(() => this.#statements.commit.run());
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    } finally {
      this.#isOpen = false;
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #write(work: () => unknown): void {
    this.#explaining(() => {
      if (this.#isOpen && !this.#database.isTransaction) this.#statements.begin.run();
      work();
    });
  }

  #explaining<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      throw explainedSqliteError(this.#path, storeFile, cause);
    }
  }

  #parse(row: Record<string, unknown>): Json {
    try {
      return JSON.parse(String(row['value']));
    } catch (cause) {
      throw storeFile.damaged(this.#path, `the entry ${row['key']} cannot be read`, cause);
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
  };
}

/** The first string after all that begin with `prefix`. Keys are ASCII (storage.ts). */
function afterPrefix(prefix: string): string {
  if (prefix === '') return '\u{10ffff}';
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
