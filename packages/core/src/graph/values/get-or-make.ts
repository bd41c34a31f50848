interface KeyedValues<Key, Value> {
  has(key: Key): boolean;
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** The value of a key. A missing value is made, and the map keeps it. Node 24 has no `getOrInsertComputed`. */
export function getOrMake<Key, Value>(kept: KeyedValues<Key, Value>, key: Key, make: () => Value): Value {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key) as Value;
}
