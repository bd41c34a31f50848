import type { Json, Storage } from '../storage/storage.ts';

/** A record that is found by its id and by other keys, each of which holds that id. */
export interface IndexedRecord {
  key: string;
  id: string;
  /** The other keys, as they are before and after. */
  before: string[];
  after: string[];
}

/** Stores a record, or removes it where there is none, with all that it is found by. */
export function putIndexed(storage: Storage, at: IndexedRecord, record: Json | undefined): void {
  for (const key of at.before) if (!at.after.includes(key)) storage.delete(key);
  for (const key of at.after) if (!at.before.includes(key)) storage.put(key, at.id);
  if (record === undefined) storage.delete(at.key);
  else storage.put(at.key, record);
}

/** The record that one of its other keys leads to. */
export function readIndexed<Result>(
  storage: Storage,
  indexKey: string,
  read: (id: string) => Result | undefined,
): Result | undefined {
  const id = storage.get(indexKey);
  return typeof id === 'string' ? read(id) : undefined;
}
