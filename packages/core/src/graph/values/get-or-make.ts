interface Kept<Key, Value> {
  has(key: Key): boolean;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** What a map has for a key: where it has nothing yet, what is made, which it keeps. Node 24 has no `getOrInsertComputed`. */
export function getOrMake<Key, Value>(kept: Kept<Key, Value>, key: Key, make: () => Value): Value {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key) as Value;
}
