import type { State } from '../model/state.ts';
import { nameKey } from '../model/values/name-key.ts';
import type { Holding } from './members.ts';

/** Somebody or something that can hold policies, before and after. */
export interface Holder extends Holding {
  /**
   * - `group`: who is in the provider's group of an alias. - `holder`: an entity, or an internal group.
   * - `method`: who comes by roles that are not to be seen here. - `policy`: who has a policy that nobody here has.
   */
  kind: 'role' | 'method' | 'group' | 'holder' | 'other' | 'policy';
  /** Name of a role, an alias, an entity, another way in. */
  name: string;
  /** Path of the auth method, of a role or an alias. */
  method?: string;
  /** The external group of an alias. */
  group?: string;
}

/** The policies that a role gives by itself, in lower case. */
export function policiesOfRole(role: State['roles'][number]): string[] {
  return unique([...(role.policies ?? []), ...(role.tokenNoDefaultPolicy === true ? [] : ['default'])]);
}

export function unique(names: readonly string[]): string[] {
  return [...new Set(names.map(nameKey))].sort();
}

/** Who has which policies by a group or an entity: its own, what is attached to it, and those of the groups it is in. */
export class Holdings {
  readonly #own = new Map<string, string[]>();
  readonly #within = new Map<string, string[]>();
  readonly #known = new Map<string, string[]>();
  /** Entities, and groups that are not among the external groups of the state. */
  readonly others = new Map<string, Named>();

  constructor({ groups, holders = [] }: State) {
    for (const { name, policies } of groups) this.#add({ kind: 'group', name }, policies);
    const external = new Set(this.#own.keys());
    for (const { policies, members = [], ...holder } of holders) {
      const key = this.#add(holder, policies);
      if (!external.has(key)) this.others.set(key, holder);
      for (const member of members) {
        const inner = keyOf(member);
        if (!external.has(inner)) this.others.set(inner, member);
        this.#within.set(inner, [...(this.#within.get(inner) ?? []), key]);
      }
    }
  }

  /** All that a group or an entity has, in lower case. */
  policiesOf(kind: Named['kind'], name: string): string[] {
    const key = keyOf({ kind, name });
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const reached = new Set([key]);
    for (const one of reached) for (const outer of this.#within.get(one) ?? []) reached.add(outer);
    const policies = unique([...reached].flatMap((one) => this.#own.get(one) ?? []));
    this.#known.set(key, policies);
    return policies;
  }

  #add(holder: Named, policies: string[]): string {
    const key = keyOf(holder);
    this.#own.set(key, [...(this.#own.get(key) ?? []), ...policies]);
    return key;
  }
}

interface Named {
  kind: 'group' | 'entity';
  name: string;
}

export function keyOf({ kind, name }: Named): string {
  return `${kind} ${nameKey(name)}`;
}

/**
 * The aliases by which people get policies, keyed by method and name. Groups count only where a role of the method asks
 * for them; of a method without roles nothing is known: they are elsewhere.
 */
export function effectiveAliases(state: State): Map<string, State['aliases'][number]> {
  const withRoles = new Set(state.roles.map(({ method }) => method));
  const reading = new Set(state.roles.filter(({ groupsClaim }) => groupsClaim).map(({ method }) => method));
  return new Map(
    state.aliases
      .filter(({ method }) => reading.has(method) || !withRoles.has(method))
      .map((alias) => [JSON.stringify([alias.method, nameKey(alias.name)]), alias]),
  );
}
