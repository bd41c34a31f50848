import { isSame } from '../model/resources/field.ts';
import type { Budget } from '../model/values/budget.ts';
import { firstMatch, type Match, noMatch, type RuleNumbers } from './first-match.ts';
import type { Side } from './policy-sides.ts';

/** Policies that the same principals have before and after, by name. */
export interface PolicyLists {
  before: readonly string[];
  after: readonly string[];
}

/** Policies that principals have by one thing: a role, a group, an entity. */
export interface Grant extends PolicyLists {
  /** What gives them, in words. Only handed through. */
  by: string;
}

/** The two lists, where they differ. */
export function changedLists({ before, after }: PolicyLists): PolicyLists[] {
  return isSame(before, after) ? [] : [{ before, after }];
}

/** Policies that are on one side only. */
export function changedPolicies({ before, after }: PolicyLists): string[] {
  return [
    ...before.filter((name) => !after.includes(name)),
    ...after.filter((name) => !before.includes(name)),
  ];
}

/** Grants that have the same match on a class of paths, before and after. */
export interface SameMatch<G> {
  grants: G[];
  before: Match;
  after: Match;
  isChanged: boolean;
  /** A policy that they have on both sides and that cannot be read. */
  unread: string | undefined;
}

/** Grants, found by their policies. */
export class GrantIndex<G extends Grant> {
  readonly #byPolicy: Map<string, G[]>;
  readonly #byUnread: Map<string | undefined, G[]>;
  readonly #unreadOf: (grant: G) => string | undefined;

  constructor(all: readonly G[], isUnread: (policy: string) => boolean) {
    this.#byPolicy = byPolicy(all, ({ before, after }) => new Set([...before, ...after]));
    this.#unreadOf = ({ before, after }) => before.find((name) => after.includes(name) && isUnread(name));
    this.#byUnread = Map.groupBy(all, this.#unreadOf);
  }

  get policies(): Iterable<string> {
    return this.#byPolicy.keys();
  }

  /** A policy that one of them has on both sides and that cannot be read. */
  get unread(): string | undefined {
    return [...this.#byUnread.keys()].find((name) => name !== undefined);
  }

  /** The grants with a policy that matches there, grouped by their match. */
  sameMatches(
    matches: Record<Side, ReadonlyMap<string, Match>>,
    numbers: RuleNumbers,
    budget: Budget,
  ): SameMatch<G>[] {
    const there = new Set<G>();
    for (const name of new Set([...matches.before.keys(), ...matches.after.keys()])) {
      for (const grant of this.#byPolicy.get(name) ?? []) there.add(grant);
    }
    budget.spend(there.size, 'combinations of roles and groups');
    const keyOf = ({ rank, rule }: Match) => (rule === undefined ? '' : `${rank} ${numbers.of(rule)}`);
    const found = new Map<string, SameMatch<G>>();
    for (const grant of there) {
      const before = firstMatch(grant.before.map((name) => matches.before.get(name)));
      const after = firstMatch(grant.after.map((name) => matches.after.get(name)));
      if (before.rule === undefined && after.rule === undefined) continue;
      const unread = this.#unreadOf(grant);
      const [was, is] = [keyOf(before), keyOf(after)];
      const key = `${was} ${is} ${unread ?? ''}`;
      const known = found.get(key);
      if (known !== undefined) known.grants.push(grant);
      else found.set(key, { grants: [grant], before, after, isChanged: was !== is, unread });
    }
    return [...found.values()];
  }

  /** One of each kind of grant without a match there. Groups count where the role is not known, too. */
  silent(found: readonly SameMatch<G>[]): SameMatch<G>[] {
    const matching = new Set(found.flatMap(({ grants }) => grants));
    const nothing = { before: noMatch, after: noMatch, isChanged: false };
    if (this.#byUnread.size === 0) return [{ ...nothing, grants: [], unread: undefined }];
    return [...this.#byUnread].flatMap(([unread, grants]) => {
      const one = grants.find((grant) => !matching.has(grant));
      return one === undefined ? [] : [{ ...nothing, grants: [one], unread }];
    });
  }
}

/** What has each policy. */
export function byPolicy<H>(all: readonly H[], policiesOf: (one: H) => Iterable<string>): Map<string, H[]> {
  const found = new Map<string, H[]>();
  for (const one of all) {
    for (const name of policiesOf(one)) {
      const there = found.get(name);
      if (there === undefined) found.set(name, [one]);
      else there.push(one);
    }
  }
  return found;
}
