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

/** The part of a storage that belongs to a namespace. The root namespace is the empty text. */
export interface Space {
  storage: Storage;
  namespace: string;
}

/** Values of one type that each namespace has, by name. */
export class Collection<Value> {
  readonly #key: (space: Space, name: string) => string;

  /** @param at First parts of the keys. */
  constructor(...at: string[]) {
    this.#key = ({ namespace }, name) => key(namespace, ...at, name);
  }

  get(space: Space, name: string): Value | undefined {
    return space.storage.get(this.#key(space, name)) as Value | undefined;
  }

  put(space: Space, name: string, value: Value): void {
    space.storage.put(this.#key(space, name), value as Json);
  }

  delete(space: Space, name: string): void {
    space.storage.delete(this.#key(space, name));
  }

  /** In the order of the names. */
  entries(space: Space): [name: string, value: Value][] {
    const stored = space.storage.list(this.#key(space, ''));
    return stored.map(([at, value]) => [partsOf(at).at(-1) ?? '', value as Value]);
  }

  all(space: Space): Value[] {
    return this.entries(space).map(([, value]) => value);
  }

  names(space: Space): string[] {
    return this.entries(space).map(([name]) => name);
  }
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

/** Caches the latest `most` results of a function of a text. Parsing a text again would dominate a request. */
export function remembering<Value>(most: number, read: (text: string) => Value): (text: string) => Value {
  const results = new Map<string, Value>();
  return (text) => {
    const value = results.get(text) ?? read(text);
    results.delete(text);
    results.set(text, value);
    if (results.size > most) results.delete(results.keys().next().value ?? '');
    return value;
  };
}
