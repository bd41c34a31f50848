import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '@gatehouse/core/values';
import { explainedSqliteError, openSqliteFile, type SqliteFileKind } from '@gatehouse/host/sqlite-file';
import { type Crypter, passphraseMissing } from '../passphrase.ts';
import {
  operationFromJson,
  operationToJson,
  type PendingOperation,
  type ResourceState,
  resourceFromJson,
  resourceToJson,
} from '../resource-state.ts';
import type { Stack } from '../stack.ts';

/**
 * The local engine's state of a stack. Each method is one transaction and is on disk when it returns, so killing the
 * process loses nothing. Resources are identified by object: what `load` returned or `record` was given can be changed
 * and put again, or removed. Several resources may share a URN; at most one of them has `delete: false`.
 */
export interface StateStore {
  /** Resources are in the order in which they were first put. */
  load(): { resources: ResourceState[]; pendingOperations: PendingOperation[] };
  /** Records that an operation begins. */
  begin(operation: PendingOperation): void;
  /** Records the changes of a step and the end of its operation. */
  record(change: StateChange): void;
  /**
   * Runs the calls of `begin` and `record` in `work` as one transaction. A call with an invalid change (a secret
   * without a passphrase) fails alone. If a write fails, the whole transaction does, and the store accepts no more.
   */
  together(work: () => void): void;
  /** Releases the lock and closes the file. */
  close(): void;
}

export interface StateChange {
  put?: ResourceState[];
  remove?: ResourceState[];
  /** The operation that ended: the object that `begin` was given or `load` returned. */
  end?: PendingOperation;
}

/** The path of a stack's state. */
export function statePath(stack: Stack): string {
  return join(stack.home, 'state', stack.project, `${stack.name}.sqlite`);
}

/**
 * Opens a stack's state, or creates an empty one: a SQLite file with one row per resource, in Pulumi's deployment
 * format. Holds a lock until `close` or the end of the process. Only the owner can read file and folder.
 *
 * @param crypter encrypts secrets; without it, only a state without secrets can be used
 * @throws GatehouseError `state_locked`, `state_damaged`, `state_newer`, `state_unwritable`, `passphrase_wrong`;
 *   `load`, `begin` and `record` also throw `passphrase_missing` if there is a secret and no `crypter`
 */
export function openStateStore(path: string, crypter?: Crypter): StateStore {
  const database = openSqliteFile(path, stateFile);
  try {
    // For error messages: who holds the lock.
    const owner = { pid: process.pid, since: new Date().toISOString() };
    writeFileSync(ownerPath(path), JSON.stringify(owner), { mode: 0o600 });
    const encryption = database.prepare('SELECT salt FROM encryption').get();
    if (encryption === undefined) throw stateFile.damaged(path, 'it does not say how it is encrypted');
    const salt = typeof encryption['salt'] === 'string' ? encryption['salt'] : null;
    if (salt !== null && crypter !== undefined && crypter.salt !== salt) {
      throw new GatehouseError('passphrase_wrong.state', { where: path });
    }
    return new SqliteStateStore(path, database, salt, crypter);
  } catch (cause) {
    database.close();
    throw explainedSqliteError(path, stateFile, cause);
  }
}

/**
 * When a stack's resources were last changed: RFC 3339; undefined where nothing was ever applied.
 *
 * @throws GatehouseError as `openStateStore`
 */
export function readLastChange(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const database = openSqliteFile(path, stateFile);
  try {
    const last = "SELECT max(json_extract(state, '$.modified')) AS last FROM resources";
    const modified = database.prepare(last).get()?.['last'];
    return typeof modified === 'string' ? modified : undefined;
  } finally {
    database.close();
  }
}

/**
 * A digest of a stack's state; undefined where there is none.
 *
 * @throws GatehouseError as `openStateStore`
 */
export function stateDigest(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const database = openSqliteFile(path, stateFile);
  try {
    const { allResources, allOperations } = prepareStatements(database);
    const hash = createHash('sha256');
    for (const rows of [allResources.all(), allOperations.all()]) hash.update(`${JSON.stringify(rows)}\n`);
    return hash.digest('hex');
  } finally {
    database.close();
  }
}

class SqliteStateStore implements StateStore {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #crypter: Crypter | undefined;
  /** The row of each known object. */
  readonly #resourceRows = new Map<ResourceState, number>();
  readonly #operationRows = new Map<PendingOperation, number>();
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** The `encryptionsalt` of the rows' secrets; null if there are none yet. */
  #salt: string | null;
  #failure: unknown;

  constructor(path: string, database: DatabaseSync, salt: string | null, crypter: Crypter | undefined) {
    this.#path = path;
    this.#database = database;
    this.#salt = salt;
    this.#crypter = crypter;
    this.#statements = prepareStatements(database);
  }

  load(): { resources: ResourceState[]; pendingOperations: PendingOperation[] } {
    const resources = this.#statements.allResources.all().map((row) => {
      const resource = this.#parse(row, resourceFromJson);
      this.#resourceRows.set(resource, Number(row['id']));
      return resource;
    });
    const pendingOperations = this.#statements.allOperations.all().map((row) => {
      const operation = this.#parse(row, operationFromJson);
      this.#operationRows.set(operation, Number(row['id']));
      return operation;
    });
    return { resources, pendingOperations };
  }

  begin(operation: PendingOperation): void {
    const json = JSON.stringify(operationToJson(operation, this.#encrypt));
    const row = this.#transaction(() => this.#statements.insertOperation.run(json).lastInsertRowid);
    this.#operationRows.set(operation, Number(row));
  }

  record({ put = [], remove = [], end }: StateChange): void {
    // An invalid change must fail before anything is written.
    const rows = put.map((resource) => ({
      resource,
      json: JSON.stringify(resourceToJson(resource, this.#encrypt)),
    }));
    const removed = remove.map((resource) => rowOf(this.#resourceRows, resource));
    const ended = end === undefined ? undefined : rowOf(this.#operationRows, end);
    const inserted = this.#transaction(() => {
      const newRows = new Map<ResourceState, number>();
      for (const { resource, json } of rows) {
        const row = this.#resourceRows.get(resource);
        if (row !== undefined) this.#statements.updateResource.run(json, row);
        else newRows.set(resource, Number(this.#statements.insertResource.run(json).lastInsertRowid));
      }
      for (const row of removed) this.#statements.deleteResource.run(row);
      if (ended !== undefined) this.#statements.deleteOperation.run(ended);
      return newRows;
    });
    // Not earlier: after a failure, the maps must match the rows.
    for (const [resource, row] of inserted) this.#resourceRows.set(resource, row);
    for (const resource of remove) this.#resourceRows.delete(resource);
    if (end !== undefined) this.#operationRows.delete(end);
  }

  together(work: () => void): void {
    try {
      this.#transaction(() => {
        work();
        if (this.#failure !== undefined) throw this.#failure;
      });
    } catch (cause) {
      // The maps may now contain rows that were rolled back.
      this.#failure = cause;
      throw cause;
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #transaction<T>(work: () => T): T {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#database.isTransaction) return this.#part(work);
    try {
      this.#statements.begin.run();
      const result = work();
      if (this.#salt !== null) this.#statements.setSalt.run(this.#salt);
      this.#statements.commit.run();
      return result;
    } catch (cause) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw explainedSqliteError(this.#path, stateFile, cause);
    }
  }

  /** Part of a transaction of `together`: a failed write fails the whole transaction. */
  #part<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      this.#failure = explainedSqliteError(this.#path, stateFile, cause);
      throw this.#failure;
    }
  }

  #parse<T>(row: Record<string, unknown>, fromJson: (json: unknown, decrypt: Crypter['decrypt']) => T): T {
    try {
      return fromJson(JSON.parse(String(row['state'])), this.#decrypt);
    } catch (cause) {
      if (cause instanceof GatehouseError && cause.code === 'passphrase_missing') throw cause;
      throw stateFile.damaged(this.#path, `row ${row['id']} cannot be read`, cause);
    }
  }

  readonly #encrypt = (plaintext: string): string => {
    if (this.#crypter === undefined) throw passphraseMissing(this.#path);
    this.#salt = this.#crypter.salt;
    return this.#crypter.encrypt(plaintext);
  };

  readonly #decrypt = (ciphertext: string): string => {
    if (this.#crypter === undefined) throw passphraseMissing(this.#path);
    return this.#crypter.decrypt(ciphertext);
  };
}

function prepareStatements(database: DatabaseSync) {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    allResources: database.prepare('SELECT id, state FROM resources ORDER BY id'),
    insertResource: database.prepare('INSERT INTO resources (state) VALUES (?)'),
    updateResource: database.prepare('UPDATE resources SET state = ? WHERE id = ?'),
    deleteResource: database.prepare('DELETE FROM resources WHERE id = ?'),
    allOperations: database.prepare('SELECT id, state FROM operations ORDER BY id'),
    insertOperation: database.prepare('INSERT INTO operations (state) VALUES (?)'),
    deleteOperation: database.prepare('DELETE FROM operations WHERE id = ?'),
    setSalt: database.prepare('UPDATE encryption SET salt = ?1 WHERE salt IS NOT ?1'),
  };
}

function rowOf<T>(rows: Map<T, number>, object: T): number {
  const row = rows.get(object);
  if (row === undefined) throw new Error('the state store does not know this object');
  return row;
}

const stateFile: SqliteFileKind = {
  // "GtHs"
  applicationId: 0x47744873,
  formatVersion: 1,
  schema: `
    CREATE TABLE encryption (salt TEXT);
    INSERT INTO encryption DEFAULT VALUES;
    CREATE TABLE resources (id INTEGER PRIMARY KEY, state TEXT NOT NULL);
    CREATE TABLE operations (id INTEGER PRIMARY KEY, state TEXT NOT NULL)
  `,
  locked: (path) => new GatehouseError('state_locked', { where: path, values: { owner: ownerOf(path) } }),
  newer: (path, version) =>
    new GatehouseError('state_newer', {
      given: `format ${version}`,
      allowed: `format ${stateFile.formatVersion}`,
      where: path,
    }),
  unwritable: (path, what, cause) =>
    new GatehouseError('state_unwritable', { where: path, cause, values: { reason: what } }),
  damaged: (path, what, cause) =>
    new GatehouseError('state_damaged', { where: path, cause, values: { reason: what } }),
};

function ownerPath(path: string): string {
  return `${path}.lock`;
}

function ownerOf(path: string): string {
  try {
    const { pid, since } = JSON.parse(readFileSync(ownerPath(path), 'utf8'));
    return `process ${pid}, since ${since}`;
  } catch {
    // The holder has not written its note yet.
    return 'another process';
  }
}
