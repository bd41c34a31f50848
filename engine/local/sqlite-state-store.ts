import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { explainedSqliteError } from '../../storage/sqlite-file.ts';
import { type Crypter, passphraseMissing } from '../passphrase.ts';
import { operationFromJson, operationToJson, resourceFromJson, resourceToJson } from '../resource-json.ts';
import type { PendingOperation, ResourceState } from '../resource-state.ts';
import type { Stack } from '../stack.ts';
import { openStateFile, stateFile } from './state-file.ts';
import type { StateChange, StateStore } from './state-store.ts';

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
      what: "The state's secrets are encrypted under another salt than the stack file's `encryptionsalt`.",
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
  if (row === undefined)
    throw new Error('the state store was given an object that it never answered or was given');
  return row;
}
