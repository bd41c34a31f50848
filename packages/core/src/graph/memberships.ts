import type { Identity } from './graph.ts';
import { nameKey } from './values/name-key.ts';

/** A group or an entity, by its name. */
export type Named = Pick<Identity, 'kind' | 'name'>;

/** A key that is equal for every spelling of the name of a group or entity. */
export function namedKey({ kind, name }: Named): string {
  return `${kind} ${nameKey(name)}`;
}

/** Which groups are in which. */
export class Memberships {
  readonly #identities = new Map<string, Identity[]>();
  readonly #within = new Map<string, { key: string; member: string }[]>();

  constructor(identities: readonly Identity[] = []) {
    for (const identity of identities) {
      const key = namedKey(identity);
      this.#identities.set(key, [...(this.#identities.get(key) ?? []), identity]);
      for (const inner of identity.members ?? []) {
        const around = this.#within.get(namedKey(inner)) ?? [];
        around.push({ key, member: inner.name });
        this.#within.set(namedKey(inner), around);
      }
    }
  }

  /** The groups around a group or an entity, at any height, each with the member that leads there. */
  around(inner: Named): { key: string; identities: readonly Identity[]; member: string }[] {
    const reached = new Map([[namedKey(inner), '']]);
    for (const [reachedKey] of reached) {
      for (const { key, member } of this.#within.get(reachedKey) ?? []) {
        if (!reached.has(key)) reached.set(key, member);
      }
    }
    reached.delete(namedKey(inner));
    return [...reached].map(([key, member]) => ({
      key,
      identities: this.#identities.get(key) ?? [],
      member,
    }));
  }

  /** Whether a group or an entity is another one, or in it, however far down. */
  isWithin(inner: Named, outer: Named): boolean {
    const key = namedKey(outer);
    return namedKey(inner) === key || this.around(inner).some((group) => group.key === key);
  }
}
