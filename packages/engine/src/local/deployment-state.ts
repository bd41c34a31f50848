import type { PendingOperation, ResourceState } from '../resource-state.ts';
import { parsePluginReference } from '../urn.ts';
import { changedReferences, DependencyGraph, referencedUrns } from './dependency-graph.ts';
import type { StateChange, StateStore } from './state-store.ts';

/** Milliseconds between two transactions under load. */
const pauseMs = 5;

/**
 * The stack's resources as the last deployment left them, and the recording of changes. Steps change the rows in place;
 * a preview works on its own copy and records nothing.
 */
export class DeploymentState {
  readonly dryRun: boolean;
  readonly pendingOperations: PendingOperation[];
  #store: StateStore;
  #graph: DependencyGraph;
  #live = new Map<string, ResourceState>();
  #referrers: Map<string, Set<ResourceState>> | undefined;
  readonly #removed = new Set<ResourceState>();
  #lastWritten = Number.NEGATIVE_INFINITY;
  readonly #unwritten: { write: () => void; resolve: () => void; reject: (error: unknown) => void }[] = [];

  constructor(store: StateStore, dryRun: boolean) {
    const { resources, pendingOperations } = store.load();
    this.dryRun = dryRun;
    this.pendingOperations = pendingOperations;
    this.#store = store;
    this.#graph = new DependencyGraph(resources);
    this.#index();
  }

  /** The resources in dependency order, as loaded or last rebased. */
  get resources(): readonly ResourceState[] {
    return this.#graph.ordered;
  }

  get graph(): DependencyGraph {
    return this.#graph;
  }

  /** The resource of a URN that is not marked for deletion, as loaded or last rebased. */
  live(urn: string): ResourceState | undefined {
    return this.#live.get(urn);
  }

  /** Resolves once the operation is recorded; only then may it begin. */
  begin(operation: PendingOperation): Promise<void> {
    return this.#write(() => this.#store.begin(operation));
  }

  /** Resolves once the change is recorded; only then may it be reported. */
  record(change: StateChange): Promise<void> {
    for (const row of change.remove ?? []) this.#removed.add(row);
    return this.#write(() => this.#store.record(change));
  }

  /**
   * One transaction takes all writes of one turn of the event loop; under load, of a few milliseconds. That is a
   * twentieth as many transactions (packages/bench/README.md).
   */
  #write(write: () => void): Promise<void> {
    if (this.dryRun) return Promise.resolve();
    return new Promise((resolve, reject) => {
      if (this.#unwritten.length === 0) this.#schedule();
      this.#unwritten.push({ write, resolve, reject });
    });
  }

  #schedule(): void {
    const early = this.#lastWritten + pauseMs - performance.now();
    if (early > 0) setTimeout(() => this.#writeAll(), early);
    else setImmediate(() => this.#writeAll());
  }

  #writeAll(): void {
    const entries = this.#unwritten.splice(0);
    const ends: (() => void)[] = [];
    this.#lastWritten = performance.now();
    try {
      this.#store.together(() => {
        for (const { write, resolve, reject } of entries) {
          try {
            write();
            ends.push(resolve);
          } catch (error) {
            ends.push(() => reject(error));
          }
        }
      });
      for (const end of ends) end();
    } catch (error) {
      for (const { reject } of entries) reject(error);
    }
  }

  /** Replaces the list of resources, after a refresh or the resolution of pending operations. */
  rebase(resources: readonly ResourceState[]): void {
    this.#graph = new DependencyGraph(resources);
    this.#referrers = undefined;
    this.#index();
  }

  #index(): void {
    this.#live = new Map(this.resources.filter((row) => !row.delete).map((row) => [row.urn, row]));
  }

  /**
   * Renames a URN in all rows that refer to it, and returns those rows: they belong into the transaction that renames
   * the resource (pulumi/pulumi `pkg/backend/snapshot.go`, `normalizeURNReferences`).
   */
  renameReferences(before: string, after: string): ResourceState[] {
    const index = this.#referrersByUrn();
    // To write a removed row would bring the resource back.
    const rows = [...(index.get(before) ?? [])].filter((row) => !this.#removed.has(row));
    for (const row of rows) replaceReferences(row, before, after);
    const known = index.get(after) ?? new Set();
    for (const row of rows) known.add(row);
    index.set(after, known);
    index.delete(before);
    return rows;
  }

  #referrersByUrn(): Map<string, Set<ResourceState>> {
    if (this.#referrers !== undefined) return this.#referrers;
    const index = new Map<string, Set<ResourceState>>();
    for (const row of this.resources) {
      for (const urn of referencedUrns(row)) {
        const rows = index.get(urn) ?? new Set();
        index.set(urn, rows.add(row));
      }
    }
    this.#referrers = index;
    return index;
  }
}

function replaceReferences(row: ResourceState, before: string, after: string): void {
  const follow = (urn: string) => (urn === before ? after : urn);
  if (row.parent !== undefined) row.parent = follow(row.parent);
  Object.assign(
    row,
    changedReferences(row, (urns) => urns.map(follow)),
  );
  if (row.provider === undefined) return;
  const { urn, id } = parsePluginReference(row.provider);
  if (urn === before) row.provider = `${after}::${id}`;
}
