import { nameKey } from '../../../core/model/values/name-key.ts';
import { type Json, key, type Storage } from '../storage/storage.ts';

/** An entity's or a group's name at one auth method. Times are RFC 3339. */
export type Alias = {
  id: string;
  name: string;
  mountAccessor: string;
  /** From the last sign-in. */
  metadata?: Record<string, string> | null;
  /** From an administrator. */
  customMetadata?: Record<string, string> | undefined;
  created: string;
  updated: string;
};

/** Stored entities or groups, by id, and by name and aliases in any case. */
export class Records<One extends { id: string; name: string }> {
  readonly kind: 'entity' | 'group';
  readonly aliasesOf: (one: One) => Alias[];

  constructor(kind: 'entity' | 'group', aliasesOf: (one: One) => Alias[]) {
    this.kind = kind;
    this.aliasesOf = aliasesOf;
  }

  read(storage: Storage, namespace: string, id: string): One | undefined {
    return storage.get(key(namespace, 'identity', this.kind, id)) as One | undefined;
  }

  named(storage: Storage, namespace: string, name: string): One | undefined {
    return this.#find(storage, namespace, this.#nameKey(namespace, name));
  }

  ofAlias(storage: Storage, namespace: string, aliasId: string): One | undefined {
    return this.#find(storage, namespace, this.#aliasKey(namespace, aliasId));
  }

  /** The record with this alias. */
  aliasedAs(storage: Storage, namespace: string, mountAccessor: string, name: string): One | undefined {
    return this.#find(storage, namespace, this.#aliasNameKey(namespace, mountAccessor, name));
  }

  all(storage: Storage, namespace: string): One[] {
    return storage.list(key(namespace, 'identity', this.kind, '')).map(([, one]) => one as unknown as One);
  }

  put(storage: Storage, namespace: string, one: One): void {
    this.#index(storage, namespace, one.id, one);
    storage.put(key(namespace, 'identity', this.kind, one.id), one as unknown as Json);
  }

  delete(storage: Storage, namespace: string, id: string): void {
    this.#index(storage, namespace, id, undefined);
    storage.delete(key(namespace, 'identity', this.kind, id));
  }

  #find(storage: Storage, namespace: string, indexKey: string): One | undefined {
    const id = storage.get(indexKey);
    return typeof id === 'string' ? this.read(storage, namespace, id) : undefined;
  }

  /** Updates the keys that hold the record's id. */
  #index(storage: Storage, namespace: string, id: string, one: One | undefined): void {
    const before = this.#indexKeys(namespace, this.read(storage, namespace, id));
    const after = this.#indexKeys(namespace, one);
    for (const each of before) if (!after.includes(each)) storage.delete(each);
    for (const each of after) if (!before.includes(each)) storage.put(each, id);
  }

  #indexKeys(namespace: string, one: One | undefined): string[] {
    if (one === undefined) return [];
    const aliases = this.aliasesOf(one).flatMap(({ id, mountAccessor, name }) => [
      this.#aliasKey(namespace, id),
      this.#aliasNameKey(namespace, mountAccessor, name),
    ]);
    return [this.#nameKey(namespace, one.name), ...aliases];
  }

  #nameKey(namespace: string, name: string): string {
    return key(namespace, 'identity', `${this.kind}-name`, nameKey(name));
  }

  #aliasKey(namespace: string, aliasId: string): string {
    return key(namespace, 'identity', `${this.kind}-alias`, aliasId);
  }

  #aliasNameKey(namespace: string, mountAccessor: string, name: string): string {
    return key(namespace, 'identity', `${this.kind}-alias-name`, mountAccessor, nameKey(name));
  }
}
