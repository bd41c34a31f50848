import { isSame } from '../graph/resources/field.ts';
import type { Budget } from '../graph/values/budget.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { addAll } from '../graph/values/sequences.ts';
import { firstMatch, type Match, noMatch, type RuleNumbers } from './first-match.ts';
import type { Side } from './policy-sides.ts';

/** Policies that the same principals have before and after, by name. */
export interface PolicyLists {
  before: readonly string[];
  after: readonly string[];
}

/** Policies that principals have by one thing: a role, a group, an entity. */
export type Grant = PolicyLists;

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

/** Grants with the same policies before and after. */
interface SameLists<G> extends PolicyLists {
  grants: readonly G[];
  /** A policy that they have on both sides and that cannot be read. */
  unread: string | undefined;
}

/** Grants that have the same match on a class of paths, before and after. */
export interface SameMatch<G> {
  grants: readonly G[];
  before: Match;
  after: Match;
  isChanged: boolean;
  unread: string | undefined;
}

/** What decides on a class of paths, by policy. */
type Matches = Record<Side, ReadonlyMap<string, Match>>;

/** Grants, found by their policies; many have the same. */
export class GrantIndex<G extends Grant> {
  readonly #all: readonly SameLists<G>[];
  readonly #byPolicy: ReadonlyMap<string, readonly SameLists<G>[]>;

  constructor(all: readonly G[], isUnread: (policy: string) => boolean) {
    const same = Map.groupBy(all, ({ before, after }) => JSON.stringify([before, after]));
    this.#all = [...same.values()].map((grants) => {
      const { before, after }: PolicyLists = grants[0] ?? { before: [], after: [] };
      return { grants, before, after, unread: before.find((name) => after.includes(name) && isUnread(name)) };
    });
    this.#byPolicy = byPolicy(this.#all, ({ before, after }) => new Set([...before, ...after]));
  }

  get policies(): Iterable<string> {
    return this.#byPolicy.keys();
  }

  /** A policy that one of them has on both sides and that cannot be read. */
  get unread(): string | undefined {
    return this.#all.find(({ unread }) => unread !== undefined)?.unread;
  }

  /** The grants with a policy that matches there, grouped by their match. */
  sameMatches(matches: Matches, numbers: RuleNumbers, budget: Budget): SameMatch<G>[] {
    const keyOf = ({ rank, rule }: Match) => (rule === undefined ? '' : `${rank} ${numbers.of(rule)}`);
    const found = new Map<string, SameMatch<G> & { grants: G[] }>();
    for (const { grants, unread, ...lists } of this.#matching(matches)) {
      budget.spend(grants.length, 'combinations');
      const before = firstMatch(lists.before.map((name) => matches.before.get(name)));
      const after = firstMatch(lists.after.map((name) => matches.after.get(name)));
      const [was, is] = [keyOf(before), keyOf(after)];
      const key = `${was} ${is} ${unread ?? ''}`;
      const same = { before, after, isChanged: was !== is, unread };
      const known = getOrMake(found, key, () => ({ grants: [] as G[], ...same }));
      for (const grant of grants) known.grants.push(grant);
    }
    return [...found.values()];
  }

  /** Some of the grants without a match there. Groups count where the role is not known, too. */
  silent(matches: Matches): SameMatch<G>[] {
    const nothing = { before: noMatch, after: noMatch, isChanged: false };
    if (this.#all.length === 0) return [{ ...nothing, grants: [], unread: undefined }];
    const matching = this.#matching(matches);
    const byUnread = Map.groupBy(
      this.#all.filter((one) => !matching.has(one)),
      ({ unread }) => unread,
    );
    return [...byUnread].map(([unread, all]) => {
      const grants: G[] = [];
      for (const one of all) {
        addAll(grants, one.grants.slice(0, mostEach + 1));
        if (grants.length > mostEach) break;
      }
      return { ...nothing, grants, unread };
    });
  }

  /** Those with a policy that matches there, on a side on which they have it. */
  #matching({ before, after }: Matches): Set<SameLists<G>> {
    const having = [...before.keys(), ...after.keys()].flatMap((name) => this.#byPolicy.get(name) ?? []);
    const isThere = (lists: PolicyLists) =>
      lists.before.some((name) => before.has(name)) || lists.after.some((name) => after.has(name));
    return new Set(having.filter(isThere));
  }
}

/** Tokens with one grant that are shown each. One stands for more. */
const mostEach = 20;
/** Tokens that are shown in all: of more, no one reads each. */
const mostTokens = 10_000;

/** What else tokens may have that have one match of each: all choices, where these are few, and the first. */
export function choicesOf<G>(matches: readonly SameMatch<G>[]): {
  all: G[][];
  first: G[];
  /** Whether `all` has no more than the first, as they are many. */
  isSample: boolean;
} {
  const classes = matches.map(({ grants }) => grants).filter(({ length }) => length > 0);
  const first = classes.map(([one]) => one as G);
  const product = classes.reduce((all, { length }) => all * length, 1);
  if (product > mostEach) return { all: [first], first, isSample: true };
  const withEach = (all: G[][], grants: readonly G[]) =>
    all.flatMap((one) => grants.map((grant) => [...one, grant]));
  return { all: classes.reduce(withEach, [[]]), first, isSample: false };
}

/** Tokens that gain or lose by a grant: a path's classes say what else they may have. */
export class TokenSamples<G extends Grant> {
  readonly found = new Map<G, G[][]>();
  /** Grants that have more tokens than these. */
  readonly sampled = new Set<G>();
  readonly #keys = new Map<G, Set<string>>();
  readonly #numbers = new Map<G, number>();
  #count = 0;

  /** @param shown what else one of them has that has to be among them */
  add(by: G, { all, first, isSample }: ReturnType<typeof choicesOf<G>>, shown: readonly G[] = []): void {
    if (first.length === 0) return;
    const chosen = this.#count > mostTokens / 2 ? [first] : all;
    if (isSample || chosen.length < all.length) this.sampled.add(by);
    const keys = getOrMake(this.#keys, by, () => new Set());
    for (const together of shown.length === 0 ? chosen : [...chosen, [...shown]]) {
      const key = this.#keyOf(together);
      if (keys.has(key)) continue;
      if (keys.size >= mostEach * 2 || this.#count >= mostTokens) {
        this.sampled.add(by);
        continue;
      }
      keys.add(key);
      this.#count += 1;
      getOrMake(this.found, by, () => []).push(together);
    }
  }

  #keyOf(together: readonly G[]): string {
    return together.map((one) => getOrMake(this.#numbers, one, () => this.#numbers.size)).join();
  }
}

/** What has each policy. */
export function byPolicy<H>(all: readonly H[], policiesOf: (one: H) => Iterable<string>): Map<string, H[]> {
  const found = new Map<string, H[]>();
  for (const one of all) for (const name of policiesOf(one)) getOrMake(found, name, () => []).push(one);
  return found;
}
