import type { Json, Storage } from '../../packages/secrets-service/src/storage/storage.ts';

/** Keeps everything in memory, frozen: what was read cannot change what is stored. */
export class MemoryStorage implements Storage {
  readonly #entries = new Map<string, Json>();
  /** What each key held before the open transaction, oldest first; undefined outside of one. */
  #undo: [key: string, value: Json | undefined][] | undefined;
  readonly #ordered: string[] = [];

  get(key: string): Json | undefined {
    return this.#entries.get(key);
  }

  put(key: string, value: Json): void {
    this.#set(key, frozen(JSON.parse(JSON.stringify(value))));
  }

  delete(key: string): void {
    this.#set(key, undefined);
  }

  list(prefix: string): [key: string, value: Json][] {
    const ordered = this.#ordered;
    const found: [key: string, value: Json][] = [];
    for (let at = firstFrom(ordered, prefix); ordered[at]?.startsWith(prefix); at += 1) {
      const key = ordered[at] as string;
      found.push([key, this.#entries.get(key) as Json]);
    }
    return found;
  }

  transaction<Result>(work: () => Result): Result {
    // One inside another is part of it: it is stored when the outer one is.
    if (this.#undo !== undefined) return work();
    const undo: [key: string, value: Json | undefined][] = [];
    this.#undo = undo;
    try {
      return work();
    } catch (error) {
      for (const [key, value] of undo.reverse()) this.#write(key, value);
      throw error;
    } finally {
      this.#undo = undefined;
    }
  }

  close(): void {}

  #set(key: string, value: Json | undefined): void {
    this.#undo?.push([key, this.#entries.get(key)]);
    this.#write(key, value);
  }

  #write(key: string, value: Json | undefined): void {
    const isThere = this.#entries.has(key);
    if (value === undefined) {
      if (!isThere) return;
      this.#entries.delete(key);
      this.#ordered.splice(firstFrom(this.#ordered, key), 1);
    } else {
      this.#entries.set(key, value);
      if (!isThere) this.#ordered.splice(firstFrom(this.#ordered, key), 0, key);
    }
  }
}

function frozen(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  Object.freeze(value);
  return value;
}

/** Position of the first key that is not before `prefix`: keys are kept in order, so a listing need not sort. */
function firstFrom(ordered: string[], prefix: string): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ordered[middle] as string) < prefix) low = middle + 1;
    else high = middle;
  }
  return low;
}
