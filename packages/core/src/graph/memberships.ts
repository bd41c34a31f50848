import type { Identity } from './graph.ts';
import { nameKey } from './values/name-key.ts';

/** A group or an entity, by its name. */
export type Named = Pick<Identity, 'kind' | 'name'>;

/** The same for one group or entity, however its name is spelt. */
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
        const there = this.#within.get(namedKey(inner)) ?? [];
        there.push({ key, member: inner.name });
        this.#within.set(namedKey(inner), there);
      }
    }
  }

  /** The groups around a group or an entity, at any height, each with the member that leads there. */
  around(inner: Named): { key: string; identities: readonly Identity[]; member: string }[] {
    const reached = new Map([[namedKey(inner), '']]);
    for (const [one] of reached) {
      for (const { key, member } of this.#within.get(one) ?? []) {
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
    return namedKey(inner) === key || this.around(inner).some((one) => one.key === key);
  }
}
