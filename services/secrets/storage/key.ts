/**
 * The storage key of something in a namespace. Parts may hold any character: a `/` or `|` in a name never reaches
 * into another key. A last part of `''` makes the prefix under which `Storage.list` finds whole parts only.
 */
export function key(namespace: string, ...parts: string[]): string {
  return `${namespace}|${parts.map(encodeURIComponent).join('/')}`;
}

/** The parts of a key that `key` made, without its namespace. */
export function partsOf(storageKey: string): string[] {
  return storageKey
    .slice(storageKey.indexOf('|') + 1)
    .split('/')
    .map(decodeURIComponent);
}
