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
