/** JSON data: what the service keeps. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/**
 * Where the secrets service keeps what it was told: keys with `/` between their parts, JSON values. Reads see what
 * was written before, in the same transaction too.
 */
export interface Storage {
  get(key: string): Json | undefined;
  put(key: string, value: Json): void;
  delete(key: string): void;
  /** Every entry whose key begins with `prefix`, in key order. */
  list(prefix: string): [key: string, value: Json][];
  /**
   * Does all of `work` or, when it throws, nothing of it. On disk when it returns, where there is a disk.
   * Synchronous on purpose: nothing else can come in between.
   */
  transaction<Result>(work: () => Result): Result;
  close(): void;
}

/**
 * The storage key of something in a namespace. Parts may hold any character: a `/` or `|` in a name never reaches
 * into another key. A last part of `''` makes the prefix under which `Storage.list` finds whole parts only.
 */
export function key(namespace: string, ...parts: string[]): string {
  // Half a surrogate pair is no text that could be encoded: real servers read it as U+FFFD, too.
  return `${namespace}|${parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`;
}

/** The parts of a key that `key` made, without its namespace. */
export function partsOf(storageKey: string): string[] {
  return storageKey
    .slice(storageKey.indexOf('|') + 1)
    .split('/')
    .map(decodeURIComponent);
}
