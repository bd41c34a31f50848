import type { StateChange, StateStore } from '../../src/local/state-store.ts';
import type { PendingOperation, ResourceState } from '../../src/resource-state.ts';

/**
 * A state store in memory. What it holds is what was recorded: a row that is changed and not put again stays as it
 * was, as in a file.
 */
export class MemoryStateStore implements StateStore {
  /** Everything recorded, `begin` aside. */
  readonly changes: StateChange[] = [];
  #rows = new Map<ResourceState, ResourceState>();
  #pending = new Map<PendingOperation, PendingOperation>();

  /** The resources as recorded, in the order in which they were first put. */
  get rows(): ResourceState[] {
    return [...this.#rows.values()];
  }

  get pending(): PendingOperation[] {
    return [...this.#pending.values()];
  }

  load(): { resources: ResourceState[]; pendingOperations: PendingOperation[] } {
    this.#rows = new Map(this.rows.map((saved) => [{ ...saved }, saved]));
    this.#pending = new Map(this.pending.map((saved) => [copyOf(saved), saved]));
    return { resources: [...this.#rows.keys()], pendingOperations: [...this.#pending.keys()] };
  }

  begin(operation: PendingOperation): void {
    this.#pending.set(operation, copyOf(operation));
  }

  record(change: StateChange): void {
    this.changes.push(change);
    for (const row of change.put ?? []) this.#rows.set(row, { ...row });
    for (const row of change.remove ?? []) {
      if (!this.#rows.delete(row)) throw new Error(`removed a row that is not in state: ${row.urn}`);
    }
    if (change.end !== undefined && !this.#pending.delete(change.end)) {
      throw new Error('ended an operation that was not begun');
    }
  }

  together(work: () => void): void {
    work();
  }

  close(): void {}

  /** Names of the resources in state, plugin resources and the stack aside. */
  names(): string[] {
    return this.rows.filter((row) => !row.type.startsWith('pulumi:')).map((row) => nameOf(row.urn));
  }

  /** The one resource of that name that is not to be deleted. */
  row(name: string): ResourceState {
    const row = this.rows.find((candidate) => !candidate.delete && nameOf(candidate.urn) === name);
    if (row === undefined) throw new Error(`nothing named ${name} in state`);
    return row;
  }
}

function copyOf(operation: PendingOperation): PendingOperation {
  return { ...operation, resource: { ...operation.resource } };
}

function nameOf(urn: string): string {
  return urn.split('::').slice(3).join('::');
}
