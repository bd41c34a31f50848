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
export class Records<One extends { id: string; name: string }> extends Collection<One> {
  readonly kind: 'entity' | 'group';
  readonly aliasesOf: (one: One) => Alias[];

  constructor(kind: 'entity' | 'group', aliasesOf: (one: One) => Alias[]) {
    super('identity', kind);
    this.kind = kind;
    this.aliasesOf = aliasesOf;
  }

  named(space: Space, name: string): One | undefined {
    return this.#find(space, 'name', nameKey(name));
  }

  ofAlias(space: Space, aliasId: string): One | undefined {
    return this.#find(space, 'alias', aliasId);
  }

  aliasedAs(space: Space, mountAccessor: string, name: string): One | undefined {
    return this.#find(space, 'alias-name', mountAccessor, nameKey(name));
  }

  override put(space: Space, id: string, one: One): void {
    this.#index(space, id, one);
    super.put(space, id, one);
  }

  override delete(space: Space, id: string): void {
    this.#index(space, id, undefined);
    super.delete(space, id);
  }

  #find(space: Space, by: string, ...names: string[]): One | undefined {
    const id = space.storage.get(this.#indexKey(space, by, ...names));
    return typeof id === 'string' ? this.get(space, id) : undefined;
  }

  #index(space: Space, id: string, one: One | undefined): void {
    const before = this.#indexKeys(space, this.get(space, id));
    const after = this.#indexKeys(space, one);
    for (const each of before) if (!after.includes(each)) space.storage.delete(each);
    for (const each of after) if (!before.includes(each)) space.storage.put(each, id);
  }

  #indexKeys(space: Space, one: One | undefined): string[] {
    if (one === undefined) return [];
    const aliases = this.aliasesOf(one).flatMap(({ id, mountAccessor, name }) => [
      this.#indexKey(space, 'alias', id),
      this.#indexKey(space, 'alias-name', mountAccessor, nameKey(name)),
    ]);
    return [this.#indexKey(space, 'name', nameKey(one.name)), ...aliases];
  }

  #indexKey({ namespace }: Space, by: string, ...names: string[]): string {
    return key(namespace, 'identity', `${this.kind}-${by}`, ...names);
  }
}
