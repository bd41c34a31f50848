import type { Rule } from '../graph/policies/acl.ts';
import { Budget } from '../graph/values/budget.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import type { PathCause } from './access-change.ts';
import { administers, administersBelow, type IsAdministrator } from './administration.ts';
import { firstMatch, type Match, RuleNumbers } from './first-match.ts';
import {
  byPolicy,
  changedLists,
  changedPolicies,
  choicesOf,
  type Grant,
  GrantIndex,
  type SameMatch,
  TokenSamples,
} from './grants.ts';
import { type Direction, type MatchChange, matchChanges, withoutKnown } from './match-change.ts';
import type { Side } from './policy-sides.ts';
import { type Reason, reasonKey, textMissing } from './reasons/reason.ts';
import { missingOf, type PathView, type RuleBook } from './rule-book.ts';

/** Tokens that can be had by signing in at one place: each has the policies of one of the roles, and of any of the groups. */
export interface Tokens<G extends Grant = Grant> {
  roles: readonly G[];
  groups: readonly G[];
  /** Each token is in one of these groups. Defaults to any tokens. */
  required?: readonly G[];
  /** What is looked for of these. Defaults to all that is looked for. */
  directions?: readonly Direction[];
}

/** What principals may do after and not before, or before and not after. */
export interface PathChange<G extends Grant = Grant> {
  direction: Direction;
  /** What gives it: a role, or a group that one of the roles takes people to. */
  by: G;
  /** What else the witness's token has: the role, another group. */
  together: G[];
  /** The pattern that decides there. */
  pattern: string;
  /** A path that shows it. */
  path: string;
  /** Nanoseconds since 1970 from which on it is so; absent for at once: rules expire. */
  from?: bigint;
  /** Capabilities; empty where only a limit on them changes. */
  capabilities: string[];
  /** The limit that is gone or weaker (or, of a loss, new or stricter), and the capabilities that it is on. */
  limit?: string;
  limited?: string[];
  /** Patterns of administration that are gained by a token that could not give itself anything before. */
  probed: string[];
  /** What decides on each side; absent where no rule does. */
  decides: Record<Side, Decider | undefined>;
  /** Why, where it is known already: a text fills in a template. */
  cause?: PathCause;
}

/** The first match of a token, by its pattern. */
export interface Decider {
  pattern: string;
  rule: Rule;
}

/** Where it is not known whether principals gain or lose. */
export interface Undecided<G extends Grant = Grant> {
  direction: Direction;
  /** Undefined for all of them. */
  by?: G;
  /** The one thing that is missing. */
  missing: Reason;
}

export interface PathDecision<G extends Grant = Grant> {
  changes: PathChange<G>[];
  /** Tokens that gain or lose by each of these, with something else: what else each has. Some examples, if there are many. */
  tokens: ReadonlyMap<G, readonly (readonly G[])[]>;
  /** Groups by which not all roles that can be had with them give the same. */
  varying: ReadonlySet<G>;
  /** Grants of whose tokens some alone are among these. */
  sampled: ReadonlySet<G>;
  undecided: Undecided<G>[];
  /** Classes of paths that were compared. */
  paths: number;
}

/**
 * What becomes of every path for every token. For one path and one capability, a token with any number of groups
 * gains only if one with at most two of them does: one that gives it after, and one that takes it away before
 * (docs/inside/access.md). So every role is decided alone, with each group, and with each two.
 *
 * @param probes patterns to look at: whether they are newly administered
 * @param isAdministrator whether a token with these policies could give itself anything before. Defaults to none.
 * @param directions those that are looked for. Defaults to both.
 */
export function decide<G extends Grant>(
  tokens: readonly Tokens<G>[],
  book: RuleBook,
  probes: readonly string[] = [],
  isAdministrator: IsAdministrator = () => false,
  directions: readonly Direction[] = bothDirections,
): PathDecision<G> {
  return new Decision({ tokens, book, probes: new Set(probes), isAdministrator, directions }).run();
}

interface Given<G extends Grant> {
  tokens: readonly Tokens<G>[];
  book: RuleBook;
  probes: ReadonlySet<string>;
  isAdministrator: IsAdministrator;
  directions: readonly Direction[];
}

export const bothDirections: readonly Direction[] = ['gained', 'lost'];
/** What there may be too much of. */
const combinations = 'combinations';

interface IndexedTokens<G extends Grant> {
  /** Some of them have other policies after. */
  isRegranted: boolean;
  roles: GrantIndex<G>;
  groups: GrantIndex<G>;
  required: GrantIndex<G> | undefined;
  directions: readonly Direction[];
}

class Decision<G extends Grant> {
  readonly #given: Given<G>;
  readonly #tokens = new TokenSamples<G>();
  readonly #varying = new Set<G>();
  readonly #result: PathDecision<G> = {
    changes: [],
    undecided: [],
    paths: 0,
    tokens: this.#tokens.found,
    varying: this.#varying,
    sampled: this.#tokens.sampled,
  };
  readonly #changes = new Map<string, Map<G, PathChange<G>>>();
  readonly #leftOpen = new Map<string, Set<G | undefined>>();
  readonly #budget = new Budget();
  readonly #numbers = new RuleNumbers();

  constructor(given: Given<G>) {
    this.#given = given;
  }

  run(): PathDecision<G> {
    const { tokens, book, probes } = this.#given;
    const all = tokens.flatMap(({ roles, groups }) => [...roles, ...groups]);
    const held = new Set(all.flatMap(({ before, after }) => [...before, ...after]));
    const changed = new Set(all.flatMap(changedPolicies));
    for (const one of tokens) this.#leaveUnreadOpen(one);
    const patterns = book.changedPatterns(held, changed, this.#numbers);
    if (patterns.size === 0) return this.#result;
    const isUnread = (name: string) => !book.isRead(name, 'before');
    const byGroups = new Map<readonly G[], GrantIndex<G>>();
    const indexOf = (groups: readonly G[]) =>
      getOrMake(byGroups, groups, () => new GrantIndex(groups, isUnread));
    const indexed = tokens.map(({ roles, groups, required, directions }) => ({
      isRegranted: [...roles, ...groups, ...(required ?? [])].some((one) => changedLists(one).length > 0),
      roles: new GrantIndex(roles, isUnread),
      groups: indexOf(groups),
      required: required && indexOf(required),
      directions: this.#lookedFor(directions),
    }));
    const having = byPolicy(indexed, ({ roles, groups }) => new Set([...roles.policies, ...groups.policies]));
    const asked = { patterns, instants: book.instants(held), probes: [...probes] };
    const look = (view: PathView) => this.#decideAt(view, having);
    const missing = missingOf(() => book.visit(held, asked, look, this.#budget));
    if (missing !== undefined)
      for (const direction of this.#given.directions) this.#leaveOpen(direction, undefined, missing);
    return this.#result;
  }

  #lookedFor(directions = bothDirections): readonly Direction[] {
    return this.#given.directions.filter((direction) => directions.includes(direction));
  }

  /** Policies whose text changes or comes and is not known. */
  #leaveUnreadOpen({ roles, groups, directions = bothDirections }: Tokens<G>): void {
    const had = [...roles, ...groups].some(({ before }) => before.length > 0);
    for (const [at, by] of [...roles, ...groups].entries()) {
      for (const name of new Set([...by.before, ...by.after])) {
        const { before, after, isSame } = this.#given.book.sidesOf(name);
        const isKept = by.before.includes(name) && by.after.includes(name);
        if ((isKept && isSame) || (before !== undefined && after !== undefined)) continue;
        const missing = textMissing(name);
        // A policy in addition may also deny. A new role takes nothing from its principals, and one that goes gives them nothing.
        const isRole = at < roles.length;
        if (!isRole || by.after.length > 0) this.#leaveOpen('gained', by, missing);
        const isLost = isRole ? by.before.length > 0 : had;
        if (isLost && directions.includes('lost')) this.#leaveOpen('lost', by, missing);
      }
    }
  }

  #decideAt(view: PathView, having: ReadonlyMap<string, readonly IndexedTokens<G>[]>): void {
    this.#result.paths += 1;
    const matches = { before: view.matches('before'), after: view.matches('after') };
    this.#budget.spend(10 + matches.before.size + matches.after.size, 'paths');
    const names = new Set([...matches.before.keys(), ...matches.after.keys()]);
    const keyOf = (one: Match | undefined) => one && `${one.rank} ${this.#numbers.of(one.rule)}`;
    const isOther = (name: string) => keyOf(matches.before.get(name)) !== keyOf(matches.after.get(name));
    // Tokens with the same policies before and after have another match only where a policy of theirs has.
    const concerned = [...names].flatMap((name) => {
      const found = having.get(name) ?? [];
      return isOther(name) ? found : found.filter(({ isRegranted }) => isRegranted);
    });
    for (const one of new Set(concerned)) {
      const groups = one.groups.sameMatches(matches, this.#numbers, this.#budget);
      const matching = one.roles.sameMatches(matches, this.#numbers, this.#budget);
      if (![...matching, ...groups].some(({ isChanged }) => isChanged)) continue;
      const roles = groups.length === 0 ? matching : [...matching, ...one.roles.silent(matches)];
      if (unitesParameters(groups)) {
        const missing = { kind: 'united-parameters' } as const;
        for (const direction of one.directions) this.#leaveOpen(direction, groups[0]?.grants[0], missing);
      }
      const required = one.required && [
        ...one.required.sameMatches(matches, this.#numbers, this.#budget),
        ...one.required.silent(matches),
      ];
      const tokens = roles.flatMap((role) => required?.map((group) => [role, group]) ?? [[role]]);
      const byToken = tokens.map((own) => this.#decideFor(own, groups, one, view));
      for (const [at, { grants }] of groups.entries()) {
        const isSame = new Set(byToken.map((byGroup) => this.#textOf(byGroup[at] ?? []))).size === 1;
        if (!isSame) for (const by of grants) this.#varying.add(by);
      }
    }
  }

  /** The same for changes in which the same rules decide. */
  #textOf(changes: readonly MatchChange[]): string {
    const keyOf = ({ rank, rule }: Match) => `${rank} ${this.#numbers.of(rule)}`;
    const texts = changes.map(({ direction, capability, limit, missing, matches: { before, after } }) =>
      JSON.stringify([direction, capability, limit, missing, keyOf(before), keyOf(after)]),
    );
    return texts.sort().join();
  }

  /**
   * @param own what each of the tokens has: the role, and a group that it requires
   * @returns what becomes of the tokens with each of the groups
   */
  #decideFor(
    own: SameMatch<G>[],
    groups: SameMatch<G>[],
    { groups: { unread: groupsUnread }, directions }: IndexedTokens<G>,
    view: PathView,
  ): MatchChange[][] {
    const compare = (parts: SameMatch<G>[]) => {
      this.#budget.spend(12, combinations);
      const unread = parts.find((part) => part.unread !== undefined)?.unread ?? groupsUnread;
      const before = firstMatch(parts.map((part) => part.before));
      const after = firstMatch(parts.map((part) => part.after));
      return directions.flatMap((direction) => matchChanges(direction, { before, after }, view, unread));
    };
    const alone = compare(own);
    const changed = own.find(({ isChanged }) => isChanged);
    if (changed !== undefined)
      this.#record(
        alone,
        changed.grants,
        own.filter((one) => one !== changed),
        view,
      );
    const singly = groups.map((group) => {
      if (!group.isChanged && changed === undefined) return [];
      const found = withoutKnown(compare([...own, group]), alone);
      this.#record(found, group.grants, own, view);
      return [...alone, ...found];
    });
    for (const [index, group] of groups.entries()) {
      for (let other = index + 1; other < groups.length; other++) {
        const second = groups[other] as SameMatch<G>;
        if (!group.isChanged && !second.isChanged && changed === undefined) continue;
        const known = [...(singly[index] ?? []), ...(singly[other] ?? [])];
        const found = withoutKnown(compare([...own, group, second]), known);
        if (found.length === 0) continue;
        const [by, also] = group.isChanged ? [group, second] : [second, group];
        this.#record(found, by.grants, [...own, also], view);
      }
    }
    return singly;
  }

  #record(outcomes: MatchChange[], grants: readonly G[], otherMatches: SameMatch<G>[], view: PathView): void {
    this.#budget.spend(outcomes.length * grants.length, combinations);
    const { patterns, path, from } = view;
    const otherGrants = otherMatches.flatMap((one) => one.grants.slice(0, 1));
    const choices = choicesOf(otherMatches);
    for (const { direction, rank, capability, limit, limited = [], missing, matches } of outcomes) {
      if (missing !== undefined) {
        const reason = textMissing(missing);
        for (const by of grants) this.#leaveOpen(direction, by, reason);
        continue;
      }
      const pattern = patterns[rank] ?? '';
      const decides = {
        before: deciderOf(matches.before, patterns),
        after: deciderOf(matches.after, patterns),
      };
      const rules = [matches.before, matches.after].map(({ rule }) => this.#numbers.of(rule));
      const key = JSON.stringify([direction, pattern, limit, ...rules, otherGrants.length > 0]);
      const changes = getOrMake(this.#changes, key, () => new Map<G, PathChange<G>>());
      const isProbed = (one: string) => (can: string) =>
        (this.#given.probes.has(one) && administers(one, can)) ||
        (one === pattern && administersBelow(one, can));
      const changed = capability === undefined ? limited : [capability];
      const probed = direction === 'lost' ? [] : patterns.filter((one) => changed.some(isProbed(one)));
      for (const by of grants) {
        const newly = probed.length === 0 ? undefined : this.#withoutAdministrator(by, otherMatches);
        const together = newly ?? otherGrants;
        this.#tokens.add(by, choices, newly);
        let change = changes.get(by);
        if (change === undefined) {
          const limits = limit === undefined ? {} : { limit, limited };
          const when = from === undefined ? {} : { from };
          const at = { direction, by, together, pattern, path };
          change = { ...at, ...when, capabilities: [], ...limits, probed: [], decides };
          changes.set(by, change);
          this.#result.changes.push(change);
        }
        if (capability !== undefined && !change.capabilities.includes(capability)) {
          // The first capability is the path's. A path that everything is asked of is plainer than a folder.
          if (change.path.endsWith('/') && view.asks === 'others' && !path.endsWith('/')) {
            Object.assign(change, { path, together });
            change.capabilities.unshift(capability);
          } else change.capabilities.push(capability);
        }
        if (newly === undefined) continue;
        // The token that is shown is the one that newly administers.
        if (change.probed.length === 0) Object.assign(change, { path, together });
        change.probed = [...new Set([...change.probed, ...probed])];
      }
    }
  }

  /** Other grants of a token that could not give itself anything before. Undefined if every token could. */
  #withoutAdministrator(by: G, [next, ...otherMatches]: SameMatch<G>[], rest: G[] = []): G[] | undefined {
    if (next === undefined)
      return this.#given.isAdministrator([by, ...rest].flatMap(({ before }) => before)) ? undefined : rest;
    for (const one of next.grants.length > 0 ? next.grants : [undefined]) {
      this.#budget.spend(1, combinations);
      const found = this.#withoutAdministrator(by, otherMatches, one === undefined ? rest : [...rest, one]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #leaveOpen(direction: Direction, by: G | undefined, missing: Reason): void {
    if (!this.#given.directions.includes(direction)) return;
    const known = getOrMake(this.#leftOpen, `${direction} ${reasonKey(missing)}`, () => new Set());
    if (known.has(by)) return;
    known.add(by);
    this.#result.undecided.push({ direction, ...(by && { by }), missing });
  }
}

/** The same for changes of one pattern in which the same two rules decide. */
export function decidersKey({ pattern, decides: { before, after } }: PathChange): string {
  const keyOf = (one: Decider | undefined) => one && [one.pattern, [...one.rule.capabilities].sort()];
  return JSON.stringify([pattern, keyOf(before), keyOf(after)]);
}

function deciderOf({ rank, rule }: Match, patterns: readonly string[]): Decider | undefined {
  return rule && { pattern: patterns[rank] ?? '', rule };
}

/** Whether more than two groups say something of one pattern and limit its fields: the server unites these lists. */
function unitesParameters(groups: readonly SameMatch<Grant>[]): boolean {
  const limits = ({ rule }: Match) =>
    rule?.allowedParameters !== undefined ||
    rule?.deniedParameters !== undefined ||
    rule?.requiredParameters?.length;
  return (['before', 'after'] as const).some((side) =>
    [...Map.groupBy(groups, (group) => group[side].rank).values()].some(
      (same) => same.length > 2 && same.filter((group) => limits(group[side])).length > 1,
    ),
  );
}
