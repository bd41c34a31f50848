import type { PendingOperation, ResourceState } from '../resource-state.ts';

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
