import { type Rule, united } from '../model/policies/acl.ts';
import type { PathRule } from '../model/policies/parse-policy.ts';
import { sortedJson } from '../model/resources/field.ts';
import { type Alike, type Holding, Members } from './members.ts';
import { type PathClass, Patterns } from './path-classes.ts';
import {
  compared,
  decided,
  type Outcome,
  type Sayings,
  type Side,
  saidOf,
  shown,
  without,
} from './path-outcomes.ts';
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

/** Combinations of roles and groups, summed over all classes of paths, after which a decision is given up. */
const mostCombinations = 5_000_000;

const everything: PathRule = { path: '*', capabilities: ['root'] };

interface Together<H extends Holding> {
  roles: Members<H>;
  groups: Members<H>;
}

class Decision<H extends Holding> {
  readonly #everybody: readonly H[];
  readonly #crowds: Together<H>[];
  readonly #policies: ReadonlyMap<string, PolicySides>;
  readonly #result: PathDecision<H> = { changes: [], undecided: [], paths: 0 };
  readonly #known = new Map<string, PathChange<H> | Undecided<H>>();
  readonly #probes: ReadonlySet<string>;
  #combinations = 0;

  constructor(
    crowds: readonly Crowd<H>[],
    policies: ReadonlyMap<string, PolicySides>,
    probes: readonly string[],
  ) {
    this.#policies = policies;
    this.#probes = new Set(probes);
    this.#everybody = [...new Set(crowds.flatMap(({ roles, groups }) => [...roles, ...groups]))];
    const isUnread = (name: string) => this.#sides(name).before === undefined;
    this.#crowds = crowds.map(({ roles, groups }) => ({
      roles: new Members(roles, isUnread),
      groups: new Members(groups, isUnread),
    }));
  }

  run(): PathDecision<H> {
    const everybody = this.#everybody;
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
    const rules = [...held].flatMap((name) => {
      const { before = [], after = [] } = this.#sides(name);
      return [
        ...before.map((rule) => ({ name, rule, side: 'before' as const })),
        ...after.map((rule) => ({ name, rule, side: 'after' as const })),
      ];
    });
    const patterns = new Set(rules.map(({ rule }) => rule.path));
    const fills = fillings(patterns);
    if (fills === undefined)
      this.#giveUp('there are more ways to fill in the templates of policies than can be tried');
    for (const fill of fills ?? [plainly]) {
      const filled = rules.map((one) => ({ ...one, path: fill(one.rule.path) }));
      const known = new Patterns([...filled.map(({ path }) => path), ...this.#probes]);
      const saying = known.texts.map(() => ({
        before: new Map<string, Rule>(),
        after: new Map<string, Rule>(),
      }));
      for (const { name, rule, side, path } of filled) {
        const there = saying[known.indexOf(path)]?.[side];
        there?.set(name, united(there.get(name), rule));
      }
      const followed = new Set(
        saying.flatMap(({ before, after }, index) =>
          changed.some(
            (name) =>
              (moved.has(name) && (before.has(name) || after.has(name))) ||
              sortedJson(shown(before.get(name))) !== sortedJson(shown(after.get(name))),
          )
            ? [index]
            : [],
        ),
      );
      const isWhole = known.walk(followed, (found) => this.#judge(found, known, saying));
      if (!isWhole) this.#giveUp('the policies tell more paths apart than can be compared');
    }
    return this.#result;
  }

  /** What is not known of the policies that somebody has. */
  #judgeUnread({ roles: { all: roles }, groups: { all: groups } }: Together<H>): void {
    const had = [...roles, ...groups].some(({ before }) => before.length > 0);
    for (const by of [...roles, ...groups]) {
      for (const name of new Set([...by.before, ...by.after])) {
        const sides = this.#sides(name);
        const isKept = by.before.includes(name) && by.after.includes(name);
        if (isKept ? sides.isSame || (sides.before && sides.after) : sides.before && sides.after) continue;
        const missing = `what policy ${JSON.stringify(name)} allows: its text is not here, or cannot be read`;
        // What somebody has in addition may also deny; who is new loses nothing, and who is gone gains nothing.
        const isRole = roles.includes(by);
        if (!isRole || by.after.length > 0) this.#leaveOpen({ side: 'gained', by, missing });
        if (isRole ? by.before.length > 0 : had) this.#leaveOpen({ side: 'lost', by, missing });
      }
    }
  }

  #judge({ path, order, asks }: PathClass, { texts }: Patterns, saying: Sayings): void {
    this.#result.paths += 1;
    const said = { before: saidOf(order, saying, 'before'), after: saidOf(order, saying, 'after') };
    const patterns = order.map((index) => texts[index] ?? '');
    const at = { path, patterns, probed: patterns.filter((pattern) => this.#probes.has(pattern)) };
    for (const crowd of this.#crowds) {
      const groups = crowd.groups.alike(said);
      const told = crowd.roles.alike(said);
      if (![...told, ...groups].some(({ isChanged }) => isChanged)) continue;
      const roles = groups.length === 0 ? told : [...told, ...crowd.roles.silent(told)];
      const others = crowd.groups.unread;
      const compare = (...parts: Alike<H>[]) => {
        this.#combinations += 1;
        const unread = parts.find((part) => part.unread !== undefined)?.unread ?? others;
        return compared(
          decided(
            parts.flatMap((part) => part.before),
            said.before,
          ),
          decided(
            parts.flatMap((part) => part.after),
            said.after,
          ),
          asks,
          unread,
        );
      };
      for (const role of roles) {
        const alone = compare(role);
        if (role.isChanged) for (const by of role.holdings) this.#record(alone, by, [], at);
        const [one] = role.holdings;
        const together = one === undefined ? [] : [one];
        const singly = groups.map((group) => {
          if (!group.isChanged && !role.isChanged) return [];
          const found = without(compare(role, group), alone);
          for (const by of group.holdings) this.#record(found, by, together, at);
          return [...alone, ...found];
        });
        for (const [index, group] of groups.entries()) {
          for (let other = index + 1; other < groups.length; other++) {
            const second = groups[other] as Alike<H>;
            if (!group.isChanged && !second.isChanged && !role.isChanged) continue;
            if (this.#combinations > mostCombinations) {
              this.#giveUp('there are more combinations of roles and groups than can be compared');
              return;
            }
            const found = without(compare(role, group, second), [
              ...(singly[index] ?? []),
              ...(singly[other] ?? []),
            ]);
            if (found.length === 0) continue;
            const [by, also] = group.isChanged ? [group, second] : [second, group];
            for (const holding of by.holdings) {
              this.#record(found, holding, [...together, ...also.holdings.slice(0, 1)], at);
            }
          }
        }
      }
    }
  }

  #sides(name: string): PolicySides {
    if (name === 'root') return { before: [everything], after: [everything], isSame: true };
    return this.#policies.get(name) ?? { before: undefined, after: undefined, isSame: true };
  }

  #record(
    found: Outcome[],
    by: H,
    together: H[],
    { path, patterns, probed }: { path: string; patterns: string[]; probed: string[] },
  ): void {
    for (const { side, rank, capability, limit, limited = [], missing } of found) {
      if (missing !== undefined) {
        this.#leaveOpen({ side, by, missing });
        continue;
      }
      const pattern = patterns[rank] ?? '';
      const key = JSON.stringify([side, this.#idOf(by), pattern, limit]);
      let change = this.#known.get(key) as PathChange<H> | undefined;
      if (change === undefined) {
        change = {
          side,
          by,
          together,
          pattern,
          path,
          capabilities: [],
          ...(limit && { limit, limited }),
          probed: [],
        };
        this.#known.set(key, change);
        this.#result.changes.push(change);
      }
      if (capability !== undefined && !change.capabilities.includes(capability)) {
        // The first capability is the path's. A path that everything is asked of is plainer than a folder.
        if (change.path.endsWith('/') && !path.endsWith('/')) {
          change.path = path;
          change.capabilities.unshift(capability);
        } else change.capabilities.push(capability);
      }
      for (const probe of probed)
        if ((capability === undefined || isWriting(capability)) && !change.probed.includes(probe))
          change.probed.push(probe);
    }
  }

  readonly #ids = new Map<H, number>();

  #idOf(holding: H): number {
    const id = this.#ids.get(holding) ?? this.#ids.size;
    this.#ids.set(holding, id);
    return id;
  }

  #leaveOpen(open: Undecided<H>): void {
    const key = JSON.stringify([open.side, open.by && this.#idOf(open.by), open.missing]);
    if (this.#known.has(key)) return;
    this.#known.set(key, open);
    this.#result.undecided.push(open);
  }

  /** Where a bound is reached nothing is proved of anybody. */
  #giveUp(missing: string): void {
    this.#leaveOpen({ side: 'gained', missing });
    this.#leaveOpen({ side: 'lost', missing });
  }
}

/** Capabilities that only look. Any other, known or not, changes something. */
const looking = ['read', 'list', 'scan', 'subscribe'];

/** Whether something can be changed by a capability. */
export function isWriting(capability: string): boolean {
  return !looking.includes(capability);
}

const plainly = (pattern: string) => pattern;
