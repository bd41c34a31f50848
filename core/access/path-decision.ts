import { type Rule, united } from '../model/policies/acl.ts';
import type { PathRule } from '../model/policies/parse-policy.ts';
import { sortedJson } from '../model/resources/field.ts';
import { administers } from './administration.ts';
import { Budget, OutOfBudget } from './budget.ts';
import { type Alike, type Holding, Members } from './members.ts';
import { type PathClass, Patterns } from './path-classes.ts';
import {
  asPathRule,
  compared,
  type Decided,
  joint,
  type Outcome,
  type Saying,
  type Side,
  saidOf,
  shown,
  without,
} from './path-outcomes.ts';
import { textMissing } from './policy-sides.ts';
import { fillings } from './templates.ts';

/** People or workloads who sign in at one place: each by one of the roles, and in any of the groups there. */
export interface Crowd<H extends Holding = Holding> {
  roles: readonly H[];
  groups: readonly H[];
}

/** What a policy says before and after; undefined where its text is not at hand or cannot be read. */
export interface PolicySides {
  before: PathRule[] | undefined;
  after: PathRule[] | undefined;
  /** Whether the text is the same on both sides, known or not. */
  isSame: boolean;
}

/** What somebody may do after and not before, or before and not after. */
export interface PathChange<H extends Holding = Holding> {
  side: Side;
  /** By which it comes: a role, or a group that one of the roles takes people to. */
  by: H;
  /** What else the witness's token holds: the role, another group. */
  together: H[];
  /** The pattern that decides there. */
  pattern: string;
  /** A path of which it is so. */
  path: string;
  /** Capabilities; empty where only a limit beside them changes. */
  capabilities: string[];
  /** The limit beside capabilities that is gone or weaker (or, of a loss, new or stricter). */
  limit?: string;
  /** The capabilities that this limit is on. */
  limited?: string[];
  /** Those of the patterns asked for on whose paths something more, or less, can be changed. */
  probed: string[];
}

/** Where it cannot be said whether anybody gains or loses. */
export interface Undecided<H extends Holding = Holding> {
  side: Side;
  /** Undefined for everybody. */
  by?: H;
  /** The one thing that is missing, in words. */
  missing: string;
}

export interface PathDecision<H extends Holding = Holding> {
  changes: PathChange<H>[];
  undecided: Undecided<H>[];
  /** Classes of paths that were compared. */
  paths: number;
}

/**
 * What becomes of every path for everybody in the crowds. For one path and one capability, a token with any number of
 * groups gains only if one with at most two of them does: one that gives it after, and one that takes it away before
 * (docs/access.md). So every role is judged alone, with each group, and with each two.
 */
export function decidePaths<H extends Holding>(
  crowds: readonly Crowd<H>[],
  policies: ReadonlyMap<string, PolicySides>,
  probes: readonly string[] = [],
): PathDecision<H> {
  return new Decision(crowds, policies, probes).run();
}

class Decision<H extends Holding> {
  readonly #crowds: readonly Crowd<H>[];
  readonly #policies: ReadonlyMap<string, PolicySides>;
  readonly #result: PathDecision<H> = { changes: [], undecided: [], paths: 0 };
  readonly #changes = new Map<string, Map<H, PathChange<H>>>();
  readonly #open = new Map<string, Set<H | undefined>>();
  readonly #probes: ReadonlySet<string>;
  readonly #budget = new Budget();

  constructor(
    crowds: readonly Crowd<H>[],
    policies: ReadonlyMap<string, PolicySides>,
    probes: readonly string[],
  ) {
    this.#crowds = crowds;
    this.#policies = policies;
    this.#probes = new Set(probes);
  }

  run(): PathDecision<H> {
    const everybody = this.#crowds.flatMap(({ roles, groups }) => [...roles, ...groups]);
    const held = new Set(everybody.flatMap(({ before, after }) => [...before, ...after]));
    const moved = new Set(
      everybody.flatMap(({ before, after }) => [
        ...before.filter((name) => !after.includes(name)),
        ...after.filter((name) => !before.includes(name)),
      ]),
    );
    for (const crowd of this.#crowds) this.#judgeUnread(crowd);
    const changed = [...held].filter((name) => moved.has(name) || this.#policies.get(name)?.isSame === false);
    if (changed.length === 0) return this.#result;
    try {
      this.#compare(this.#sayings(held), new Set(changed), moved);
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      this.#leaveOpen('gained', undefined, error.message);
      this.#leaveOpen('lost', undefined, error.message);
    }
    return this.#result;
  }

  /** What each policy says of each pattern. */
  #sayings(names: Iterable<string>): Map<string, Saying> {
    const sayings = new Map<string, Saying>();
    for (const name of names) {
      const sides = this.#sides(name);
      for (const side of ['before', 'after'] as const) {
        for (const rule of sides[side] ?? []) {
          const there = sayingOf(sayings, rule.path)[side];
          there.set(name, united(there.get(name), rule));
        }
      }
    }
    return sayings;
  }

  #compare(
    sayings: ReadonlyMap<string, Saying>,
    changed: ReadonlySet<string>,
    moved: ReadonlySet<string>,
  ): void {
    const isChanged = ({ before, after }: Saying) =>
      [...new Set([...before.keys(), ...after.keys()])].some(
        (name) =>
          moved.has(name) ||
          (changed.has(name) && this.#idOf(before.get(name)) !== this.#idOf(after.get(name))),
      );
    const followed = new Set([...sayings].flatMap(([text, saying]) => (isChanged(saying) ? [text] : [])));
    // Nothing else is asked where no pattern changes.
    if (followed.size === 0) return;
    const isUnread = (name: string) => this.#sides(name).before === undefined;
    const crowds = this.#crowds.map(({ roles, groups }) => ({
      roles: new Members(roles, isUnread),
      groups: new Members(groups, isUnread),
    }));
    for (const fill of fillings([...sayings.keys()], followed, this.#budget)) {
      this.#budget.spend(sayings.size + this.#probes.size, 'paths');
      const filled = fill === undefined ? sayings : filledIn(sayings, fill);
      const patterns = new Patterns([...filled.keys(), ...this.#probes]);
      const byRank = patterns.texts.map((text) => filled.get(text));
      const walked = new Set([...followed].map((text) => patterns.indexOf(fill?.(text) ?? text)));
      patterns.walk(walked, (found) => this.#judge(found, patterns, byRank, crowds), this.#budget);
    }
  }

  /** What is not known of the policies that somebody has. */
  #judgeUnread({ roles, groups }: Crowd<H>): void {
    const had = [...roles, ...groups].some(({ before }) => before.length > 0);
    for (const by of [...roles, ...groups]) {
      for (const name of new Set([...by.before, ...by.after])) {
        const sides = this.#sides(name);
        const isKept = by.before.includes(name) && by.after.includes(name);
        if (isKept ? sides.isSame || (sides.before && sides.after) : sides.before && sides.after) continue;
        const missing = textMissing(name);
        // What somebody has in addition may also deny; who is new loses nothing, and who is gone gains nothing.
        const isRole = roles.includes(by);
        if (!isRole || by.after.length > 0) this.#leaveOpen('gained', by, missing);
        if (isRole ? by.before.length > 0 : had) this.#leaveOpen('lost', by, missing);
      }
    }
  }

  #judge(
    found: PathClass,
    { texts }: Patterns,
    byRank: readonly (Saying | undefined)[],
    crowds: readonly { roles: Members<H>; groups: Members<H> }[],
  ): void {
    this.#result.paths += 1;
    this.#budget.spend(10 + found.order.length, 'paths');
    const { order, asks } = found;
    const said = { before: saidOf(order, byRank, 'before'), after: saidOf(order, byRank, 'after') };
    const patterns = order.map((index) => texts[index] ?? '');
    const at = { found, patterns, probed: patterns.filter((pattern) => this.#probes.has(pattern)) };
    for (const crowd of crowds) {
      const idOf = (rule: Rule) => this.#idOf(rule);
      const groups = crowd.groups.alike(said, idOf, this.#budget);
      const told = crowd.roles.alike(said, idOf, this.#budget);
      if (![...told, ...groups].some(({ isChanged }) => isChanged)) continue;
      const roles = groups.length === 0 ? told : [...told, ...crowd.roles.silent(told)];
      const others = crowd.groups.unread;
      if (unitesParameters(groups)) {
        const missing = 'which fields may be written with the policies of more than two groups together';
        for (const side of ['gained', 'lost'] as const)
          this.#leaveOpen(side, groups[0]?.holdings[0], missing);
      }
      const compare = (...parts: Alike<H>[]) => {
        this.#budget.spend(12, 'combinations of roles and groups');
        const unread = parts.find((part) => part.unread !== undefined)?.unread ?? others;
        const [before, after] = [parts.map((part) => part.before), parts.map((part) => part.after)];
        return compared(joint(before), joint(after), asks, unread);
      };
      for (const role of roles) {
        const alone = compare(role);
        if (role.isChanged) this.#record(alone, role.holdings, [], at);
        const together = role.holdings.slice(0, 1);
        const singly = groups.map((group) => {
          if (!group.isChanged && !role.isChanged) return [];
          const found = without(compare(role, group), alone);
          this.#record(found, group.holdings, together, at);
          return [...alone, ...found];
        });
        for (const [index, group] of groups.entries()) {
          for (let other = index + 1; other < groups.length; other++) {
            const second = groups[other] as Alike<H>;
            if (!group.isChanged && !second.isChanged && !role.isChanged) continue;
            const found = without(compare(role, group, second), [
              ...(singly[index] ?? []),
              ...(singly[other] ?? []),
            ]);
            if (found.length === 0) continue;
            const [by, also] = group.isChanged ? [group, second] : [second, group];
            this.#record(found, by.holdings, [...together, ...also.holdings.slice(0, 1)], at);
          }
        }
      }
    }
  }

  #sides(name: string): PolicySides {
    return this.#policies.get(name) ?? { before: undefined, after: undefined, isSame: true };
  }

  #record(
    outcomes: Outcome[],
    holdings: readonly H[],
    together: H[],
    { found, patterns, probed }: { found: PathClass; patterns: string[]; probed: string[] },
  ): void {
    this.#budget.spend(outcomes.length * holdings.length, 'combinations of roles and groups');
    for (const { side, rank, capability, limit, limited = [], missing } of outcomes) {
      if (missing !== undefined) {
        for (const by of holdings) this.#leaveOpen(side, by, missing);
        continue;
      }
      const pattern = patterns[rank] ?? '';
      const key = JSON.stringify([side, pattern, limit]);
      const changes = this.#changes.get(key) ?? new Map<H, PathChange<H>>();
      this.#changes.set(key, changes);
      for (const by of holdings) {
        let change = changes.get(by);
        if (change === undefined) {
          const { path } = found;
          const limits = limit === undefined ? {} : { limit, limited };
          change = { side, by, together, pattern, path, capabilities: [], ...limits, probed: [] };
          changes.set(by, change);
          this.#result.changes.push(change);
        }
        if (capability !== undefined && !change.capabilities.includes(capability)) {
          // The first capability is the path's. A path that everything is asked of is plainer than a folder.
          if (change.path.endsWith('/') && found.asks === 'others' && !found.path.endsWith('/')) {
            change.path = found.path;
            change.together = together;
            change.capabilities.unshift(capability);
          } else change.capabilities.push(capability);
        }
        for (const probe of probed)
          if (
            (capability === undefined ? limited : [capability]).some((one) => administers(probe, one)) &&
            !change.probed.includes(probe)
          )
            change.probed.push(probe);
      }
    }
  }

  readonly #ids = new Map<string, number>();
  readonly #idsOfRules = new WeakMap<Rule, number>();

  /** The same number for rules that say the same. */
  #idOf(rule: Rule | undefined): number {
    if (rule === undefined) return -1;
    const known = this.#idsOfRules.get(rule);
    if (known !== undefined) return known;
    const text = sortedJson(shown(rule));
    const id = this.#ids.get(text) ?? this.#ids.size;
    this.#ids.set(text, id);
    this.#idsOfRules.set(rule, id);
    return id;
  }

  #leaveOpen(side: Side, by: H | undefined, missing: string): void {
    const key = `${side} ${missing}`;
    const known = this.#open.get(key) ?? new Set();
    if (known.has(by)) return;
    this.#open.set(key, known.add(by));
    this.#result.undecided.push({ side, ...(by && { by }), missing });
  }
}

/** What is said where templates stand for words; rules of patterns that become the same are united. */
function filledIn(
  sayings: ReadonlyMap<string, Saying>,
  fill: (pattern: string) => string,
): Map<string, Saying> {
  const filled = new Map<string, Saying>();
  for (const [text, saying] of sayings) {
    const there = sayingOf(filled, fill(text));
    for (const side of ['before', 'after'] as const) {
      for (const [name, rule] of saying[side]) {
        const known = there[side].get(name);
        there[side].set(name, known === undefined ? rule : united(known, asPathRule(rule)));
      }
    }
  }
  return filled;
}

function sayingOf(sayings: Map<string, Saying>, text: string): Saying {
  const there = sayings.get(text) ?? { before: new Map(), after: new Map() };
  sayings.set(text, there);
  return there;
}

/** Whether more than two groups say something of one pattern and limit its fields: the server unites these lists. */
function unitesParameters(groups: readonly Alike<Holding>[]): boolean {
  const limits = ({ rule }: Decided) =>
    rule?.allowedParameters !== undefined ||
    rule?.deniedParameters !== undefined ||
    rule?.requiredParameters?.length;
  return (['before', 'after'] as const).some((side) =>
    [...Map.groupBy(groups, (group) => group[side].rank).values()].some(
      (same) => same.length > 2 && same.filter((group) => limits(group[side])).length > 1,
    ),
  );
}
