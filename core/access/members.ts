import { isAlike, type Said } from './path-outcomes.ts';

/** Policies that somebody has before and after, by name. */
export interface Holding {
  /** Who: the name of a role, a group, an entity. Only handed through. */
  who: string;
  before: readonly string[];
  after: readonly string[];
}

/** Holdings that say the same of a class of paths. */
export interface Alike<H> {
  holdings: H[];
  before: string[];
  after: string[];
  isChanged: boolean;
  /** A policy that they have on both sides and that nobody here can read. */
  unread?: string;
}

/** Some who hold policies, found by these. */
export class Members<H extends Holding> {
  readonly all: readonly H[];
  /** A policy that one of them has on both sides and that nobody here can read. */
  readonly unread?: string;
  readonly #byPolicy = new Map<string, H[]>();
  readonly #unread = new Map<H, string>();

  constructor(all: readonly H[], isUnread: (policy: string) => boolean) {
    this.all = all;
    for (const holding of all) {
      const { before, after } = holding;
      for (const name of new Set([...before, ...after])) {
        const there = this.#byPolicy.get(name);
        if (there === undefined) this.#byPolicy.set(name, [holding]);
        else there.push(holding);
      }
      const unread = before.find((name) => after.includes(name) && isUnread(name));
      if (unread === undefined) continue;
      this.#unread.set(holding, unread);
      this.unread ??= unread;
    }
  }

  /** Who of them has a policy that says something there, those together for whom it says the same. */
  alike(said: Record<'before' | 'after', Said>): Alike<H>[] {
    const names = new Set([...said.before.keys(), ...said.after.keys()]);
    const found = new Map<string, Alike<H>>();
    for (const holding of new Set([...names].flatMap((name) => this.#byPolicy.get(name) ?? []))) {
      const before = holding.before.filter((name) => said.before.has(name));
      const after = holding.after.filter((name) => said.after.has(name));
      if (before.length === 0 && after.length === 0) continue;
      const unread = this.#unread.get(holding);
      const key = JSON.stringify([before, after, unread]);
      const there = found.get(key);
      if (there !== undefined) there.holdings.push(holding);
      else {
        const isChanged =
          before.length !== after.length ||
          before.some(
            (name) => !after.includes(name) || !isAlike(said.before.get(name), said.after.get(name)),
          );
        found.set(key, { holdings: [holding], before, after, isChanged, ...(unread && { unread }) });
      }
    }
    return [...found.values()];
  }

  /** Those who are told nothing there: roles whose people can be in groups that say something. */
  silent(told: Alike<H>[]): Alike<H>[] {
    const nothing = { before: [], after: [], isChanged: false };
    // Where no role is known at all, people come by one that is elsewhere.
    if (this.all.length === 0) return [{ ...nothing, holdings: [] }];
    const known = new Set(told.flatMap(({ holdings }) => holdings));
    const others = this.all.filter((holding) => !known.has(holding));
    return [...Map.groupBy(others, (holding) => this.#unread.get(holding))].map(([unread, holdings]) => ({
      ...nothing,
      holdings,
      ...(unread && { unread }),
    }));
  }
}
