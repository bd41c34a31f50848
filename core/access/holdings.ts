import { Memberships, type Named, namedKey } from '../model/memberships.ts';
import type { State } from '../model/state.ts';
import { nameKey, policyKey } from '../model/values/name-key.ts';
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
  return [...new Set(names.map(policyKey))].sort();
}

/** Who has which policies by a group or an entity: its own, what is attached to it, and those of the groups it is in. */
export class Holdings {
  readonly #own = new Map<string, string[]>();
  readonly #memberships: Memberships;
  readonly #known = new Map<string, string[]>();
  /** Entities, and groups that are not among the external groups of the state. */
  readonly others: ReadonlyMap<string, Named>;

  constructor({ groups, holders = [] }: State) {
    for (const { name, policies } of groups) this.#add({ kind: 'group', name }, policies);
    const external = new Set(this.#own.keys());
    for (const holder of holders) this.#add(holder, holder.policies);
    this.#memberships = new Memberships(holders);
    this.others = new Map(
      holders
        .flatMap((holder): Named[] => [holder, ...(holder.members ?? [])])
        .map(({ kind, name }) => [namedKey({ kind, name }), { kind, name }] as const)
        .filter(([key]) => !external.has(key)),
    );
  }

  /** All that a group or an entity has, in lower case. */
  policiesOf(kind: Named['kind'], name: string): string[] {
    const key = namedKey({ kind, name });
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const reached = [key, ...this.#memberships.around({ kind, name }).map((outer) => outer.key)];
    const policies = unique(reached.flatMap((one) => this.#own.get(one) ?? []));
    this.#known.set(key, policies);
    return policies;
  }

  #add(holder: Named, policies: string[]): void {
    const key = namedKey(holder);
    this.#own.set(key, [...(this.#own.get(key) ?? []), ...policies]);
  }
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
