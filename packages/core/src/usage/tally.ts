import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import type { LoggedPrincipal } from './logged-request.ts';
import type { Used } from './used.ts';

/** What was used, by its key. */
export class Tally {
  readonly #counts = new Map<string, { count: number; who: Set<string>; last: number }>();
  readonly #undecided = new Set<string>();

  add(key: string, who: string | undefined, count: number, last: number): void {
    const use = getOrMake(this.#counts, key, () => ({ count: 0, who: new Set<string>(), last: 0 }));
    use.count += count;
    if (who !== undefined) use.who.add(who);
    use.last = Math.max(use.last, last);
  }

  /** A policy, or a role, that a request may have used, which cannot be told. */
  leaveOpen(key: string): void {
    this.#undecided.add(key);
  }

  isOpen(key: string): boolean {
    return this.#undecided.has(key);
  }

  of(key: string): Pick<Used, 'count' | 'people' | 'last'> | undefined {
    const use = this.#counts.get(key);
    return use && { count: use.count, people: use.who.size, last: use.last };
  }

  /** A token that has these policies may be of any role that gives them. */
  leaveRolesOpen({ tokenPolicies }: LoggedPrincipal): void {
    const key = JSON.stringify(tokenPolicies);
    this.#unplaced.set(key, new Set(tokenPolicies.map(policyKey)));
  }
  readonly #unplaced = new Map<string, ReadonlySet<string>>();

  /** Whether a token whose sign-in is not known may be of a role that gives these. */
  mayBeOf(policies: readonly string[]): boolean {
    return [...this.#unplaced.values()].some((held) => policies.every((name) => held.has(policyKey(name))));
  }

  /** Keys of roles that sign-ins name. */
  roles(): string[] {
    return [...this.#counts.keys()].filter((key) => key.startsWith('role '));
  }
}

/** The key of a role, by its path. */
export const roleKey = (name: string) => `role ${nameKey(name)}`;
