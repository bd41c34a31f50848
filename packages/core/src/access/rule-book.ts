import { hasWildcard, type Rule, united } from '../graph/policies/acl.ts';
import { Budget } from '../graph/values/budget.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { asPathRule, type Match, type RuleNumbers } from './first-match.ts';
import { type PathClass, Patterns } from './path-classes.ts';
import type { PolicySides, Side } from './policy-sides.ts';
import { type Reason, undecidedBy } from './reasons/reason.ts';
import { fillings } from './templates.ts';

/** Paths that every policy treats the same, before and after. */
export interface PathView {
  /** One of them. */
  readonly path: string;
  readonly asks: PathClass['asks'];
  /** The patterns that match, the first match first; templates are filled in. */
  readonly patterns: readonly string[];
  /** Nanoseconds since 1970 from which on it is so; absent for at once: rules expire. */
  readonly from?: bigint;
  /** The first match of each policy that has one there, by its name. */
  matches(side: Side): ReadonlyMap<string, Match>;
  /** Whether the pattern of a rank is the path itself: no pattern of another policy can come before it. */
  isExact(rank: number): boolean;
}

/** Which classes of paths are visited: those that one of these patterns matches. */
export interface VisitedPaths {
  patterns: ReadonlySet<string>;
  /** Instants to look at in addition to now, when rules expire. Defaults to none. */
  instants?: readonly bigint[];
  /** Further patterns that tell paths apart, of no policy. Defaults to none. */
  probes?: readonly string[];
  /** Templates stand for words that no pattern has, and for nothing else. Defaults to false. */
  isSymbolic?: boolean;
}

type ByPolicy = Map<string, Rule>;
/** The rule of each policy on a pattern, before and after. */
type Rules = Record<Side, ByPolicy>;
/** The rules of each pattern, by its index. */
type ByIndex = readonly (Rules | undefined)[];

const sides = ['before', 'after'] as const;

/** The rules of policies on both sides of a change, and the classes of paths that they tell apart. */
export class RuleBook {
  readonly #policies: ReadonlyMap<string, PolicySides>;
  readonly #now: bigint;

  /** @param now nanoseconds since 1970: rules that expired are left out */
  constructor(policies: ReadonlyMap<string, PolicySides>, now: bigint) {
    this.#policies = policies;
    this.#now = now;
  }

  /** Whether the text of a policy is known on a side. */
  isRead(name: string, side: Side = 'after'): boolean {
    return this.#policies.get(name)?.[side] !== undefined;
  }

  sidesOf(name: string): PolicySides {
    return this.#policies.get(name) ?? { before: undefined, after: undefined, isSame: true };
  }

  /** Instants after now at which a rule of these policies expires, in order. */
  instants(names: Iterable<string>): bigint[] {
    const found = new Set<bigint>();
    for (const name of names) {
      const { before = [], after = [] } = this.sidesOf(name);
      for (const { expires } of [...before, ...after])
        if (expires !== undefined && expires > this.#now) found.add(expires);
    }
    return [...found].sort((one, other) => (one < other ? -1 : 1));
  }

  /**
   * The rules of each of the policies on each pattern.
   *
   * @param isAsked which patterns are looked at. Defaults to all.
   */
  rules(
    names: Iterable<string>,
    at: bigint = this.#now,
    isAsked: (pattern: string) => boolean = () => true,
  ): Map<string, Rules> {
    const found = new Map<string, Rules>();
    for (const name of names) {
      const policy = this.sidesOf(name);
      for (const side of sides) {
        for (const rule of policy[side] ?? []) {
          if ((rule.expires !== undefined && rule.expires <= at) || !isAsked(rule.path)) continue;
          const there = rulesOf(found, rule.path)[side];
          there.set(name, united(there.get(name), rule));
        }
      }
    }
    return found;
  }

  /** The patterns on which one of the policies changes, and all patterns of policies that come or go. */
  changedPatterns(
    names: Iterable<string>,
    comingOrGoing: ReadonlySet<string>,
    numbers: RuleNumbers,
  ): Set<string> {
    const changed = new Set<string>();
    const asked = [...names].filter((name) => comingOrGoing.has(name) || !this.sidesOf(name).isSame);
    for (const [path, { before, after }] of this.rules(asked)) {
      const isOther = (name: string) => {
        const [old, wanted] = [before.get(name), after.get(name)];
        return numbers.of(old) !== numbers.of(wanted) || old?.expires !== wanted?.expires;
      };
      const having = [...before.keys(), ...after.keys()];
      if (having.some((name) => comingOrGoing.has(name) || isOther(name))) changed.add(path);
    }
    return changed;
  }

  /**
   * Visits one path of each class that the policies tell apart and one of the asked patterns matches.
   *
   * @throws OutOfBudget: classes may be missing
   */
  visit(
    names: Iterable<string>,
    visited: VisitedPaths,
    look: (view: PathView) => void,
    budget = new Budget(),
  ): void {
    const all = [...names];
    const { probes = [], instants = [], isSymbolic } = visited;
    budget.spend(instants.length > mostInstants ? Number.POSITIVE_INFINITY : 0, 'instants');
    for (const at of [undefined, ...instants]) {
      const rules = this.rules(all, at ?? this.#now, nearby(visited.patterns));
      for (const probe of [...probes, ...visited.patterns]) rulesOf(rules, probe);
      const fills = isSymbolic ? [undefined] : fillings([...rules.keys()], visited.patterns, budget);
      const seen = new Set<string>();
      const numbers = new Map<string, number>();
      for (const fill of fills) {
        budget.spend(rules.size, 'paths');
        const filled = fill === undefined ? rules : filledIn(rules, fill);
        const patterns = new Patterns(filled.keys());
        const byRank = patterns.texts.map((text) => filled.get(text));
        const followed = new Set([...visited.patterns].map((text) => patterns.indexOf(fill?.(text) ?? text)));
        const keep = new Set(probes.map((text) => patterns.indexOf(text)));
        const decided = byRank.map((rules, index) => (keep.has(index) ? undefined : sidesIn(rules, numbers)));
        const keyOf = classKey(rules.keys(), patterns, fill);
        const visitNew = (found: PathClass) => {
          const key = keyOf?.(found);
          if (key !== undefined && seen.has(key)) return;
          if (key !== undefined) seen.add(key);
          look(viewOf(found, patterns, byRank, at));
        };
        patterns.walk(followed, visitNew, budget, (index) => decided[index]);
      }
    }
  }
}

/** What is missing where a visit of paths runs out of its budget; undefined where it came to its end. */
export function missingOf(visit: () => void): Reason | undefined {
  try {
    visit();
    return undefined;
  } catch (error) {
    const reason = undecidedBy(error);
    if (reason === undefined) throw error;
    return reason;
  }
}

/** The same, of a visit of every path. */
export function missingOfAll(visit: () => void): Reason | undefined {
  const missing = missingOf(visit);
  return missing?.kind === 'budget' ? { ...missing, isOfAll: true } : missing;
}

/** Instants at which rules expire, after which a decision is given up. Policies of people have one or two. */
const mostInstants = 50;

function viewOf(found: PathClass, { texts }: Patterns, rules: ByIndex, from: bigint | undefined): PathView {
  const { order, asks } = found;
  const known: Partial<Record<Side, Map<string, Match>>> = {};
  return {
    get path() {
      return found.path;
    },
    asks,
    get patterns() {
      return order.map((index) => texts[index] ?? '');
    },
    ...(from !== undefined && { from }),
    matches(side) {
      known[side] ??= matchesOf(order, rules, side);
      return known[side];
    },
    isExact(rank) {
      const pattern = texts[order[rank] ?? -1] ?? '*';
      // For a list, rules of the folder with its slash go before rules of its name.
      return !hasWildcard(pattern) && (asks === 'others' || pattern.endsWith('/'));
    },
  };
}

/** The policies that have a rule, on each side: a number each. */
function sidesIn(rules: Rules | undefined, numbers: Map<string, number>): number[] {
  return sides.flatMap((side) =>
    Array.from(rules?.[side].keys() ?? [], (name) =>
      getOrMake(numbers, `${side} ${name}`, () => numbers.size),
    ),
  );
}

/** The first match of each policy. */
function matchesOf(order: readonly number[], rules: ByIndex, side: Side): Map<string, Match> {
  const found = new Map<string, Match>();
  for (const [rank, index] of order.entries()) {
    for (const [name, rule] of rules[index]?.[side] ?? [])
      if (!found.has(name)) found.set(name, { rank, rule });
  }
  return found;
}

/** Whether a pattern may match a path of these patterns; only asked where these are few. */
function nearby(patterns: ReadonlySet<string>): (pattern: string) => boolean {
  if (patterns.size > 8) return () => true;
  const starts = [...patterns].map(beginning);
  return (pattern) => {
    const start = beginning(pattern);
    return starts.some((one) => one.startsWith(start) || start.startsWith(one));
  };
}

/** What a path that the pattern matches begins with. Shorter than need be, never longer; a list asks without a slash, too. */
export function beginning(pattern: string): string {
  return (pattern.split(/[+*]|\{\{/, 1)[0] ?? '').replace(/\/$/, '');
}

/**
 * Tells classes of paths apart by the patterns that they are of as they are written. A word in place of a template makes another
 * class only where other patterns match it then: `identity/entity/name/a` is not one apart from the template's own text.
 *
 * @returns undefined where nothing has a template
 */
function classKey(
  written: Iterable<string>,
  { texts }: Patterns,
  fill: ((pattern: string) => string) | undefined,
): ((found: PathClass) => string) | undefined {
  const numbers = new Map<string, string>();
  let isTemplate = false;
  let number = 0;
  for (const text of written) {
    isTemplate ||= text.includes('{{');
    const filled = fill?.(text) ?? text;
    const known = numbers.get(filled);
    numbers.set(filled, known === undefined ? `${number}` : `${known}+${number}`);
    number += 1;
  }
  if (!isTemplate) return undefined;
  const byRank = texts.map((text) => numbers.get(text));
  return ({ order, asks, path }) =>
    `${asks} ${path.endsWith('/')} ${order.map((rank) => byRank[rank]).join()}`;
}

/** The rules where templates stand for words; those of patterns that become the same are united. */
function filledIn(rules: ReadonlyMap<string, Rules>, fill: (pattern: string) => string): Map<string, Rules> {
  const filled = new Map<string, Rules>();
  for (const [text, given] of rules) {
    const there = rulesOf(filled, fill(text));
    for (const side of sides) {
      for (const [name, rule] of given[side]) {
        const known = there[side].get(name);
        there[side].set(name, known === undefined ? rule : united(known, asPathRule(rule)));
      }
    }
  }
  return filled;
}

function rulesOf(rules: Map<string, Rules>, text: string): Rules {
  return getOrMake(rules, text, () => ({ before: new Map(), after: new Map() }));
}
