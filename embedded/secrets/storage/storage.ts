export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Stores JSON values by key. Reads see earlier writes, also within a transaction. */
export interface Storage {
  get(key: string): Json | undefined;
  put(key: string, value: Json): void;
  delete(key: string): void;
  /** The entries whose key begins with `prefix`, in key order. */
  list(prefix: string): [key: string, value: Json][];
  /** Stores everything that `work` writes or, if it throws, nothing. Synchronous, so nothing runs in between. */
  transaction<Result>(work: () => Result): Result;
  close(): void;
}

/**
 * The storage key of something in a namespace. Parts may hold any character. With a last part of `''` it is a prefix
 * for `Storage.list`.
 */
export function key(namespace: string, ...parts: string[]): string {
  // Half a surrogate pair cannot be encoded; real servers also read it as U+FFFD.
  return `${namespace}|${parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`;
}

/** The parts of a key, without its namespace. */
export function partsOf(storageKey: string): string[] {
  return storageKey
    .slice(storageKey.indexOf('|') + 1)
    .split('/')
    .map(decodeURIComponent);
}
