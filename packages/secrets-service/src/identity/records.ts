import { nameKey } from '@gatehouse/core/values';
import { Collection, key, type Space } from '../storage/storage.ts';

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
export class Records<Stored extends { id: string; name: string }> extends Collection<Stored> {
  readonly kind: 'entity' | 'group';
  readonly aliasesOf: (record: Stored) => Alias[];

  constructor(kind: 'entity' | 'group', aliasesOf: (record: Stored) => Alias[]) {
    super('identity', kind);
    this.kind = kind;
    this.aliasesOf = aliasesOf;
  }

  named(space: Space, name: string): Stored | undefined {
    return this.#find(space, 'name', nameKey(name));
  }

  ofAlias(space: Space, aliasId: string): Stored | undefined {
    return this.#find(space, 'alias', aliasId);
  }

  aliasedAs(space: Space, mountAccessor: string, name: string): Stored | undefined {
    return this.#find(space, 'alias-name', mountAccessor, nameKey(name));
  }

  override put(space: Space, id: string, record: Stored): void {
    this.#index(space, id, record);
    super.put(space, id, record);
  }

  override delete(space: Space, id: string): void {
    this.#index(space, id, undefined);
    super.delete(space, id);
  }

  #find(space: Space, by: string, ...names: string[]): Stored | undefined {
    const id = space.storage.get(this.#indexKey(space, by, ...names));
    return typeof id === 'string' ? this.get(space, id) : undefined;
  }

  #index(space: Space, id: string, record: Stored | undefined): void {
    const before = this.#indexKeys(space, this.get(space, id));
    const after = this.#indexKeys(space, record);
    for (const indexKey of before) if (!after.includes(indexKey)) space.storage.delete(indexKey);
    for (const indexKey of after) if (!before.includes(indexKey)) space.storage.put(indexKey, id);
  }

  #indexKeys(space: Space, record: Stored | undefined): string[] {
    if (record === undefined) return [];
    const aliases = this.aliasesOf(record).flatMap(({ id, mountAccessor, name }) => [
      this.#indexKey(space, 'alias', id),
      this.#indexKey(space, 'alias-name', mountAccessor, nameKey(name)),
    ]);
    return [this.#indexKey(space, 'name', nameKey(record.name)), ...aliases];
  }

  #indexKey({ namespace }: Space, by: string, ...names: string[]): string {
    return key(namespace, 'identity', `${this.kind}-${by}`, ...names);
  }
}
