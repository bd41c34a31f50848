import type { Lineage, LoggedPrincipal, LoggedRequest } from './logged-request.ts';

/** What requests of the same kind have in common. */
export interface RequestShape {
  number: number;
  key: string;
  operation: string;
  fields: LoggedRequest['fields'];
}

/** A principal, once for all equal ones. */
export interface Interned {
  number: number;
  principal: LoggedPrincipal;
}

/** How a principal of a line was interned the last time. */
interface RecentPrincipal {
  unknown: LoggedPrincipal['unknown'];
  lineage: Lineage | undefined;
  token: string;
  interned: Interned;
}

/** How many principals of lines are remembered as they were read last. */
const mostRecent = 1_024;

/** Each principal of a log once: its lines hold many that are equal. */
export class InternedPrincipals {
  /** Principals whose tokens are older than the log, or than what was read of it. */
  readonly unplaced: { token: string; number: number; principal: LoggedPrincipal }[] = [];
  readonly #principals = new Map<string, Interned>();
  readonly #recent = new Map<LoggedPrincipal, RecentPrincipal>();
  readonly #lineageNumbers = new Map<object, number>();
  readonly #lists = new Map<string, readonly string[]>();

  /** @param token whose origin a later line may say; empty where that is known, or does not matter */
  intern(
    principal: LoggedPrincipal,
    unknown: LoggedPrincipal['unknown'],
    lineage: Lineage | undefined,
    token: string,
  ): Interned {
    // Lines of one token share what was read of it.
    const last = this.#recent.get(principal);
    if (last?.unknown === unknown && last?.lineage === lineage && last?.token === token) return last.interned;
    const interned = this.#internedAs(principal, unknown, lineage, token);
    if (this.#recent.size >= mostRecent) this.#recent.clear();
    this.#recent.set(principal, { unknown, lineage, token, interned });
    return interned;
  }

  #internedAs(
    seen: LoggedPrincipal,
    unknown: LoggedPrincipal['unknown'],
    lineage: Lineage | undefined,
    token: string,
  ): Interned {
    const { name, entity, metadata, tokenPolicies, identityPolicies } = seen;
    const origin = lineage === undefined ? token : this.#numberOf(lineage);
    const key = JSON.stringify([name, entity, metadata, tokenPolicies, identityPolicies, unknown, origin]);
    const known = this.#principals.get(key);
    if (known !== undefined) return known;
    const principal = this.#shared({
      ...seen,
      ...(unknown !== undefined && { unknown }),
      ...(lineage && { lineage }),
    });
    const added = { number: this.#principals.size, principal };
    this.#principals.set(key, added);
    if (token !== '') this.unplaced.push({ token, ...added });
    return added;
  }

  #numberOf(lineage: object): number {
    const known = this.#lineageNumbers.get(lineage) ?? this.#lineageNumbers.size;
    this.#lineageNumbers.set(lineage, known);
    return known;
  }

  /** People who sign in by one role hold equal lists. */
  #shared(principal: LoggedPrincipal): LoggedPrincipal {
    const share = (list: readonly string[]): readonly string[] => {
      const key = JSON.stringify(list);
      const known = this.#lists.get(key);
      if (known === undefined) this.#lists.set(key, list);
      return known ?? list;
    };
    const { policies, tokenPolicies, identityPolicies } = principal;
    return {
      ...principal,
      policies: share(policies),
      tokenPolicies: share(tokenPolicies),
      identityPolicies: share(identityPolicies),
    };
  }
}
