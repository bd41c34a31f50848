import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { explainedSqliteError, openSqliteFile, type SqliteFileKind } from '../../storage/sqlite-file.ts';
import { type Crypter, passphraseMissing } from '../passphrase.ts';
import type { PendingOperation, ResourceState } from '../resource-state.ts';
import { operationFromJson, operationToJson, resourceFromJson, resourceToJson } from '../resource-state.ts';
import type { Stack } from '../stack.ts';

/**
 * Where the local engine keeps a stack's state. Each method is one transaction and is on disk when it
 * returns, so that a kill at any moment loses nothing that was done. Resources are known by identity: what
 * `load` returned or `record` was given may be changed and put again, or removed. One URN may stand for
 * several resources, of which at most one has `delete: false`.
 */
export interface StateStore {
  /** Resources in the order in which they were first put. */
  load(): { resources: ResourceState[]; pendingOperations: PendingOperation[] };
  /** Records that an operation begins. */
  begin(operation: PendingOperation): void;
  /** Records what a step changed, and that its operation ended, in one transaction. */
  record(change: StateChange): void;
  /**
   * Makes one transaction of what `work` begins and records. What cannot be written (a secret without a passphrase)
   * fails by itself, before anything is; a write that fails takes the transaction with it, and then the store takes
   * nothing more.
   */
  together(work: () => void): void;
  /** Releases the lock and closes the file. */
  close(): void;
}

export interface StateChange {
  put?: ResourceState[];
  remove?: ResourceState[];
  /** The operation that ended, as it was given to `begin` or returned by `load`. */
  end?: PendingOperation;
}

/** Where a stack's state is: one file a stack, in a folder of its project. */
export function statePath(stack: Stack): string {
  return join(stack.home, 'state', stack.project, `${stack.name}.sqlite`);
}

/**
 * Opens a stack's state, or makes an empty one: a SQLite file of one row a resource, each as Pulumi's
 * deployment format writes it, secrets encrypted by `crypter`. Holds a lock until `close` or the end of the
 * process. File and folder are readable by their owner alone.
 *
 * @param crypter absent when no passphrase is known: then a state without secrets can still be used.
 * @throws GatehouseError `state_locked`, `state_damaged`, `state_newer`, `state_unwritable`, `passphrase_wrong`; from
 *   `load`, `begin` and `record` also `passphrase_missing`, when a secret is met and there is no `crypter`
 */
export function openStateStore(path: string, crypter?: Crypter): StateStore {
  const { database, salt } = openStateFile(path);
  if (salt !== null && crypter !== undefined && crypter.salt !== salt) {
    database.close();
    throw new GatehouseError({
      code: 'passphrase_wrong',
      what: "The state's secrets are encrypted with a different salt than the stack file's `encryptionsalt`.",
      fix: 'Restore the `encryptionsalt` that the stack had (with its passphrase) from version control.',
      where: path,
    });
  }
  try {
    return new SqliteStateStore(path, database, salt, crypter);
  } catch (cause) {
    database.close();
    throw explainedSqliteError(path, stateFile, cause);
  }
}

class SqliteStateStore implements StateStore {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #crypter: Crypter | undefined;
  /** Which row an object came from or went to. */
  readonly #resourceRows = new Map<ResourceState, number>();
  readonly #operationRows = new Map<PendingOperation, number>();
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** `encryptionsalt` under which the rows' secrets are encrypted; null while there has been none. */
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
    // What can be wrong with the change itself shows before anything is written.
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
    // Only now, so that after a failure the objects still stand for the rows that there are.
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
      // Objects may stand for rows that were rolled back.
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

  /** Statements of a transaction of several: when one fails, the whole transaction does. */
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
      fix: 'Restore a backup of the file. Without one, move the file away and adopt what is on the service.',
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
function openStateFile(path: string): { database: DatabaseSync; salt: string | null } {
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
