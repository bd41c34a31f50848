import type { Holder } from './graph.ts';
import { nameKey } from './values/name-key.ts';

/** A group or an entity, by its name. */
export type Named = Pick<Holder, 'kind' | 'name'>;

/** The same for one group or entity, however its name is spelt. */
export function namedKey({ kind, name }: Named): string {
  return `${kind} ${nameKey(name)}`;
}

/** Which groups are in which. */
export class Memberships {
  readonly #holders = new Map<string, Holder[]>();
  readonly #within = new Map<string, { key: string; member: string }[]>();

  constructor(holders: readonly Holder[] = []) {
    for (const holder of holders) {
      const key = namedKey(holder);
      this.#holders.set(key, [...(this.#holders.get(key) ?? []), holder]);
      for (const inner of holder.members ?? []) {
        const there = this.#within.get(namedKey(inner)) ?? [];
        there.push({ key, member: inner.name });
        this.#within.set(namedKey(inner), there);
      }
    }
  }

  /** What a group or an entity is in, however far up, each with the member that leads there. */
  around(inner: Named): { key: string; holders: readonly Holder[]; member: string }[] {
    const reached = new Map([[namedKey(inner), '']]);
    for (const [one] of reached) {
      for (const { key, member } of this.#within.get(one) ?? []) {
        if (!reached.has(key)) reached.set(key, member);
      }
    }
    reached.delete(namedKey(inner));
    return [...reached].map(([key, member]) => ({ key, holders: this.#holders.get(key) ?? [], member }));
  }

  /** Whether a group or an entity is another one, or in it, however far down. */
  isWithin(inner: Named, outer: Named): boolean {
    const key = namedKey(outer);
    return namedKey(inner) === key || this.around(inner).some((one) => one.key === key);
  }
}
