import type { Graph } from '../../model/graph.ts';
import { subjectText } from '../../model/subject.ts';
import type { Principals } from '../access-change.ts';
import { firstMatch, gives } from '../first-match.ts';
import { byPolicy } from '../grants.ts';
import { limitsOf } from '../limits.ts';
import { policySides } from '../policy-sides.ts';
import { principalsOf } from '../principals.ts';
import { type PathView, RuleBook } from '../rule-book.ts';
import { type Population, type Witness, witnessOf } from '../sign-in/population.ts';

/** A class of principals of a graph, with the policies that they have by one thing. */
export interface Standing {
  /** `group`: people in it by its alias. `members`: those of a group without an alias here. */
  kind: 'role' | 'group' | 'members' | 'entity' | 'other';
  name: string;
  /** Path of the auth method, of a role or a group's alias. */
  method?: string;
  /** Name of a group's alias. */
  alias?: string;
  /** Of a role: whether it asks for groups. */
  readsGroups?: boolean;
  /** Of a role: who signs in to it. */
  population?: () => Population;
  policies: readonly string[];
}

/** Those with the same of the policies that match on a class of paths. */
export interface SamePolicies {
  standings: readonly Standing[];
  policies: readonly string[];
  /** Those of the policies that cannot be read. */
  unread: readonly string[];
}

/** The principals that matter on a class of paths. */
export interface PrincipalsThere {
  /** Roles of one auth method, and the groups there. */
  mounts: { roles: SamePolicies[]; groups: SamePolicies[] }[];
  identities: SamePolicies[];
  others: SamePolicies[];
}

/** Whether a token can: `unknown` where a policy that it has cannot be read. */
export interface Verdict {
  can: 'yes' | 'no' | 'unknown';
  /** The pattern that decides, as the policy has it. */
  pattern?: string;
  /** The policies that give it there. */
  givers: string[];
  /** Limits on it there, by the names of their attributes. */
  limits: string[];
  /** Policies that cannot be read and may give it or take it away. */
  unread: string[];
}

/**
 * The principals of one graph: those of a change in which nothing changes. A question about a graph is one about the
 * change from nothing to it, decided on the same classes of paths.
 */
export class GraphPrincipals {
  /** By the path of their auth method. */
  readonly mounts = new Map<string, { roles: Standings; groups: Standings }>();
  readonly #identities: Standings;
  readonly #others: Standings;
  readonly book: RuleBook;
  readonly #names: ReadonlySet<string>;
  /** What else may give access and is not modeled, in words. */
  readonly unseen: string[];

  /** @param now nanoseconds since 1970: rules of policies may expire */
  constructor(graph: Graph, now: bigint) {
    const { mounts, identities, others } = principalsOf({ before: graph, after: graph });
    const reading = new Set(
      graph.roles.flatMap(({ method, name, groupsClaim }) => (groupsClaim ? [`${method} ${name}`] : [])),
    );
    const reads = new Set(graph.roles.flatMap(({ method, groupsClaim }) => (groupsClaim ? [method] : [])));
    const withRoles = new Set(graph.roles.map(({ method }) => method));
    const standing = (one: Principals) => standingOf(one, reading);
    const byMount = [...mounts].map(([path, { roles, groups }]) => {
      const joined = groups.map(standing);
      return {
        path,
        // What stands for roles elsewhere gives nothing that is known.
        roles: roles.filter(({ source }) => source.kind !== 'method').map(standing),
        groups: joined.filter(({ kind }) => kind === 'group' && (reads.has(path) || !withRoles.has(path))),
        others: joined.filter(({ kind }) => kind === 'other'),
      };
    });
    const besides = [...others.map(standing), ...byMount.flatMap((one) => one.others)].filter(
      ({ name }) => graph.others?.find((one) => one.name === name)?.effect !== 'takes',
    );
    const known = identities.map(standing);
    const everyone = [...byMount.flatMap(({ roles, groups }) => [...roles, ...groups]), ...known, ...besides];
    this.#names = new Set(everyone.flatMap(({ policies }) => policies));
    this.book = new RuleBook(policySides(this.#names, graph.policies, graph.policies), now);
    for (const { path, roles, groups } of byMount) {
      this.mounts.set(path, {
        roles: new Standings(roles, this.book),
        groups: new Standings(groups, this.book),
      });
    }
    this.#identities = new Standings(known, this.book);
    this.#others = new Standings(besides, this.book);
    this.unseen = unseenIn(graph);
  }

  /** Visits each class of paths that a pattern matches and the policies tell apart. @throws OutOfBudget */
  visit(pattern: string, look: (view: PathView) => void): void {
    this.book.visit(this.#names, { patterns: new Set([pattern]) }, look);
  }

  /** Those who may be able to do something there, and who else is at the same auth method. */
  at(view: PathView): PrincipalsThere {
    const said = [...view.matches('after').keys()];
    return {
      mounts: [...this.mounts.values()]
        .filter(({ roles, groups }) => roles.matches(said) || groups.matches(said))
        .map(({ roles, groups }) => ({ roles: roles.same(said), groups: groups.same(said) })),
      identities: this.#identities.same(said).filter(({ policies }) => policies.length > 0),
      others: this.#others.same(said).filter(({ policies }) => policies.length > 0),
    };
  }
}

function standingOf({ source, population }: Principals, reading: ReadonlySet<string>): Standing {
  const { kind, name, method, group, after: policies } = source;
  switch (kind) {
    case 'alias':
      return { kind: 'group', name: group ?? name, method: method ?? '', alias: name, policies };
    case 'group':
      return { kind: 'members', name, policies };
    case 'entity':
      return { kind, name, policies };
    case 'role':
      return {
        kind,
        name,
        method: method ?? '',
        readsGroups: reading.has(`${method} ${name}`),
        ...(population && { population }),
        policies,
      };
    default:
      return { kind: 'other', name, policies };
  }
}

/** What a graph has and nobody can say what it gives. */
function unseenIn({ others = [], aliases }: Graph): string[] {
  const opaque = others.flatMap(({ name, effect, isOpaque }) =>
    effect !== 'takes' && isOpaque ? [`what ${name} gives`] : [],
  );
  // An entity with aliases at two auth methods has the groups of both.
  const mountsOf = Map.groupBy(
    others.filter(({ entity }) => entity !== undefined),
    ({ entity = '' }) => entity,
  );
  const shared = [...mountsOf].flatMap(([entity, list]) => {
    const mounts = new Set(list.map(({ method }) => method));
    const isGrouped = aliases.some(({ method }) => mounts.has(method));
    return mounts.size > 1 && isGrouped
      ? [`which groups entity ${JSON.stringify(entity)} has by another auth method`]
      : [];
  });
  return [...opaque, ...shared];
}

/** Standings, found by their policies. */
class Standings {
  readonly all: readonly Standing[];
  readonly #book: RuleBook;
  readonly #byPolicy: Map<string, Standing[]>;
  /** Those with a policy that cannot be read, which may say anything. */
  readonly #unread: Standing[];

  constructor(all: Standing[], book: RuleBook) {
    this.all = all;
    this.#book = book;
    this.#unread = all.filter(({ policies }) => policies.some((name) => !book.isRead(name)));
    this.#byPolicy = byPolicy(all, ({ policies }) => policies);
  }

  /** Whether one of them has one of the policies, or one that may say the same. */
  matches(said: readonly string[]): boolean {
    return this.#unread.length > 0 || said.some((name) => this.#byPolicy.has(name));
  }

  /** All of them, those together who have the same of the policies; last those who have none. */
  same(said: readonly string[]): SamePolicies[] {
    const matching = new Set([...this.#unread, ...said.flatMap((name) => this.#byPolicy.get(name) ?? [])]);
    const names = new Set(said);
    const found = new Map<string, SamePolicies & { standings: Standing[] }>();
    for (const standing of matching) {
      const unread = standing.policies.filter((name) => !this.#book.isRead(name));
      const policies = [...standing.policies.filter((name) => names.has(name)), ...unread];
      const key = JSON.stringify(policies);
      const there = found.get(key);
      if (there !== undefined) there.standings.push(standing);
      else found.set(key, { standings: [standing], policies, unread });
    }
    if (matching.size === this.all.length) return [...found.values()];
    const { all } = this;
    let silent: Standing[] | undefined;
    const others: SamePolicies = {
      // They are many, and seldom asked for.
      get standings() {
        silent ??= all.filter((one) => !matching.has(one));
        return silent;
      },
      policies: [],
      unread: [],
    };
    return [...found.values(), others];
  }
}

/** Whether a token with all these policies can do something there. */
export function verdictOn(view: PathView, parts: readonly SamePolicies[], capability: string): Verdict {
  const matches = view.matches('after');
  const names = [...new Set(parts.flatMap(({ policies }) => policies))];
  const unread = [...new Set(parts.flatMap((part) => part.unread))];
  const { rank, rule } = firstMatch(names.map((name) => matches.get(name)));
  const isGiven = rule !== undefined && gives(rule, capability);
  const givers = names.filter((name) => {
    const there = matches.get(name);
    return there?.rank === rank && there.rule !== undefined && gives(there.rule, capability);
  });
  const told = {
    givers: isGiven ? givers : [],
    limits: isGiven ? limitsOf(rule) : [],
    unread,
    ...(isGiven && { pattern: rule.path }),
  };
  if (unread.length === 0) return { ...told, can: isGiven ? 'yes' : 'no' };
  // A policy that cannot be read cannot undo a denial of this very path.
  const isDenied = rule?.capabilities.has('deny') === true && view.isExact(rank);
  return { ...told, can: isDenied ? 'no' : 'unknown' };
}

/** Whose policies they are, in words: `group "admins" (alias "x" of auth/staff)`. */
export function standingText({
  kind,
  name,
  method = '',
  alias,
}: Pick<Standing, 'kind' | 'name' | 'method' | 'alias'>): string {
  if (kind === 'role') return subjectText({ type: kind, name, method });
  if (kind === 'group') return `group ${JSON.stringify(name)} (${JSON.stringify(alias)} of auth/${method})`;
  if (kind === 'other') return name;
  return kind === 'members' ? `members of group ${JSON.stringify(name)}` : `entity ${JSON.stringify(name)}`;
}

/** A sign-in that gets the policies of a role, or of a group by one of the roles. */
export function signInOf(
  standing: Standing,
  roles: readonly Standing[],
): { role: string; token: Witness; whom?: string } | undefined {
  const candidates = standing.kind === 'role' ? [standing] : roles.filter(({ readsGroups }) => readsGroups);
  for (const { name, population } of candidates) {
    if (population === undefined) continue;
    const { whom, ...everyone } = population();
    const token = witnessOf(everyone, standing.alias === undefined ? [] : [standing.alias]);
    if (token !== undefined) return { role: name, token, ...(whom === undefined ? {} : { whom }) };
  }
  return undefined;
}
