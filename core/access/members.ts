import type { Rule } from '../model/policies/acl.ts';
import type { Budget } from './budget.ts';
import { type Decided, joint, type Said } from './path-outcomes.ts';

/** Policies that somebody has before and after, by name. */
export interface Holding {
  /** Who: the name of a role, a group, an entity. Only handed through. */
  who: string;
  before: readonly string[];
  after: readonly string[];
}

/** Holdings of which a class of paths shows the same. */
export interface Alike<H> {
  holdings: H[];
  before: Decided;
  after: Decided;
  isChanged: boolean;
  /** A policy that they have on both sides and that nobody here can read. */
  unread: string | undefined;
}

/** Holdings, found by the policies that they have. */
export class Members<H extends Holding> {
  readonly #byPolicy: Map<string, H[]>;
  readonly #byUnread: Map<string | undefined, H[]>;
  readonly #unreadOf: (holding: H) => string | undefined;

  constructor(all: readonly H[], isUnread: (policy: string) => boolean) {
    this.#byPolicy = byPolicy(all, ({ before, after }) => new Set([...before, ...after]));
    this.#unreadOf = ({ before, after }) => before.find((name) => after.includes(name) && isUnread(name));
    this.#byUnread = Map.groupBy(all, this.#unreadOf);
  }

  /** A policy that one of them has on both sides and that nobody here can read. */
  get unread(): string | undefined {
    return [...this.#byUnread.keys()].find((name) => name !== undefined);
  }

  /**
   * Those of whom a policy says something there, those together of whom it shows the same.
   *
   * @param idOf the same for rules that say the same
   */
  alike(said: Record<'before' | 'after', Said>, idOf: (rule: Rule) => number, budget: Budget): Alike<H>[] {
    const holders = new Set<H>();
    for (const name of new Set([...said.before.keys(), ...said.after.keys()])) {
      for (const holding of this.#byPolicy.get(name) ?? []) holders.add(holding);
    }
    budget.spend(holders.size, 'combinations of roles and groups');
    const keyOf = ({ rank, rule }: Decided) => (rule === undefined ? '' : `${rank} ${idOf(rule)}`);
    const found = new Map<string, Alike<H>>();
    for (const holding of holders) {
      const before = joint(holding.before.map((name) => said.before.get(name)));
      const after = joint(holding.after.map((name) => said.after.get(name)));
      if (before.rule === undefined && after.rule === undefined) continue;
      const unread = this.#unreadOf(holding);
      const [was, is] = [keyOf(before), keyOf(after)];
      const key = `${was} ${is} ${unread ?? ''}`;
      const there = found.get(key);
      if (there !== undefined) there.holdings.push(holding);
      else found.set(key, { holdings: [holding], before, after, isChanged: was !== is, unread });
    }
    return [...found.values()];
  }

  /** One of each kind of those of whom nothing is said there. Groups count where nobody knows the role, too. */
  silent(told: readonly Alike<H>[]): Alike<H>[] {
    const spoken = new Set(told.flatMap(({ holdings }) => holdings));
    const nothing = { before: joint([]), after: joint([]), isChanged: false };
    if (this.#byUnread.size === 0) return [{ ...nothing, holdings: [], unread: undefined }];
    return [...this.#byUnread].flatMap(([unread, holdings]) => {
      const one = holdings.find((holding) => !spoken.has(holding));
      return one === undefined ? [] : [{ ...nothing, holdings: [one], unread }];
    });
  }
}

/** Those who have each policy. */
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
