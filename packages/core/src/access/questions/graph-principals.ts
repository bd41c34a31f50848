import type { Graph } from '../../graph/graph.ts';
import { namedKey } from '../../graph/memberships.ts';
import { effectOf, isOpaque, keyOfNode, wordsOf } from '../../graph/nodes/other-node.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { defined } from '../../graph/values/loose-values.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import type { Principals } from '../access-change.ts';
import { policyOf } from '../edges/edge.ts';
import { firstMatch, gives } from '../first-match.ts';
import { byPolicy } from '../grants.ts';
import { GraphIndex, unique } from '../graph-index.ts';
import { limitsOf } from '../limits.ts';
import { policySides } from '../policy-sides.ts';
import { principalsOf } from '../principals.ts';
import type { Reason } from '../reasons/reason.ts';
import { missingOfAll, type PathView, RuleBook } from '../rule-book.ts';
import { inGroups, type ProviderWhom, type Witness, witnessOf } from '../sign-in/population.ts';

/** Principals with the same of the policies that match on a class of paths. */
export interface SamePolicies {
  readonly principals: readonly Principals[];
  policies: readonly string[];
  /** Policies among them that cannot be read. */
  unread: readonly string[];
}

/** The principals of one auth method: a token has one of the roles, and any of the groups. */
export interface SamePoliciesOfMount {
  roles: SamePolicies[];
  groups: SamePolicies[];
}

/** The principals that matter on a class of paths. */
export interface PrincipalsThere {
  mounts: SamePoliciesOfMount[];
  /** Entities, members of groups, and other nodes: each by itself. */
  identities: SamePolicies[];
  otherPrincipals: SamePolicies[];
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
  readonly #mounts: ReadonlyMap<string, { roles: PolicyIndex; groups: PolicyIndex }>;
  readonly #identities: PolicyIndex;
  readonly #otherPrincipals: PolicyIndex;
  readonly #book: RuleBook;
  readonly #names: ReadonlySet<string>;
  /** What else may give access and is not modeled. */
  readonly unseen: Reason[];

  /** @param now nanoseconds since 1970: rules of policies may expire */
  constructor(graph: Graph, now: bigint) {
    const { mounts, identities, otherPrincipals } = principalsOf({ before: graph, after: graph });
    const index = new GraphIndex(graph);
    const byMount = [...mounts].map(([path, { roles, groups, made }]) => ({
      path,
      // Stand-ins for roles elsewhere give nothing that is known.
      roles: roles.filter(({ kind }) => kind !== 'method').flatMap((role) => withRequired(role, index)),
      groups: groups.filter(({ kind }) => kind === 'alias'),
      otherPrincipals: [...groups.filter(({ kind }) => kind === 'other'), ...made],
    }));
    const alone = withoutStandIns(
      // What tokens may be made by policies that are not known says nothing of who can: the answer is open by these already.
      [...otherPrincipals, ...byMount.flatMap((mount) => mount.otherPrincipals)].filter(({ left }) => !left),
      identities,
      index,
    );
    const ofMounts = byMount.flatMap(({ roles, groups }) => [...roles, ...groups]);
    this.#names = new Set([...ofMounts, ...identities, ...alone].flatMap(({ after }) => after));
    const book = new RuleBook(policySides(this.#names, graph, graph), now);
    this.#mounts = new Map(
      byMount.map(({ path, roles, groups }) => [
        path,
        { roles: new PolicyIndex(roles, book), groups: new PolicyIndex(groups, book) },
      ]),
    );
    this.#identities = new PolicyIndex(identities, book);
    this.#otherPrincipals = new PolicyIndex(alone, book);
    this.#book = book;
    this.unseen = opaqueIn(graph);
  }

  /** The roles that may take people into the group of an alias. */
  rolesTo({ kind, method = '' }: Principals): readonly Principals[] {
    return kind === 'alias' ? (this.#mounts.get(method)?.roles.all ?? []) : [];
  }

  /** Whether an alias leads to a group of this name, and a role may read it. */
  hasGroup(key: string): boolean {
    return [...this.#mounts.values()].some(({ groups }) =>
      groups.all.some(({ group = '' }) => nameKey(group) === key),
    );
  }

  /**
   * Visits each class of paths that a pattern matches and the policies tell apart.
   *
   * @returns what is missing where classes may have been left out
   */
  visit(pattern: string, look: (view: PathView) => void): Reason | undefined {
    return missingOfAll(() => this.#book.visit(this.#names, { patterns: new Set([pattern]) }, look));
  }

  /** The principals who may be able to do something there, and who else is at the same auth method. */
  at(view: PathView): PrincipalsThere {
    const matching = [...view.matches('after').keys()];
    const hasPolicies = ({ policies }: SamePolicies) => policies.length > 0;
    return {
      mounts: [...this.#mounts.values()]
        .filter(({ roles, groups }) => roles.matches(matching) || groups.matches(matching))
        .map(({ roles, groups }) => ({ roles: roles.same(matching), groups: groups.same(matching) })),
      identities: this.#identities.same(matching).filter(hasPolicies),
      otherPrincipals: this.#otherPrincipals.same(matching).filter(hasPolicies),
    };
  }
}

/** A role as its tokens have it: with each of the groups that its bounds require one of. */
function withRequired(principals: Principals, index: GraphIndex): Principals[] {
  const { method = '', name, population, partOf } = principals;
  // Tokens that others make may be orphans, which are in no group.
  if (partOf !== undefined) return [principals];
  const role = index.roleNamed(method, name);
  const groups = role === undefined ? [] : index.keptBy(role);
  if (groups.every(({ policies }) => policies.length === 0)) return [principals];
  return groups.map((group) => ({
    ...principals,
    after: unique([...principals.after, ...group.policies]),
    ...(population && { population: () => inGroups(population(), [group.name]) }),
  }));
}

/**
 * Principals without those that give nothing by themselves: nodes that take access, and those that lead to an entity of the
 * graph and have no policies of their own. Tokens of an entity that have some are shown where the entity is not.
 */
export function withoutStandIns(
  all: readonly Principals[],
  identities: readonly Principals[],
  { walk }: GraphIndex,
): Principals[] {
  const entities = new Map(
    identities.flatMap((principals) => {
      const { kind, name } = principals;
      return kind === 'entity' ? [[namedKey({ kind, name }), principals] as const] : [];
    }),
  );
  return all.flatMap((principals) => {
    const { node } = principals;
    if (node === undefined) return [principals];
    if (effectOf(node) === 'takes') return [];
    const key = keyOfNode(node);
    const [entity] = walk.reached(key).flatMap((reached) => entities.get(reached) ?? []);
    if (entity === undefined) return [principals];
    const hasOwn = walk.ends(key, 'always').some((end) => policyOf(end) !== undefined);
    return hasOwn ? [{ ...principals, partOf: entity }] : [];
  });
}

/** Parts of a graph whose grants are unknown. */
export function opaqueIn({ others = [] }: Graph): Reason[] {
  return others.flatMap((node): Reason[] =>
    effectOf(node) !== 'takes' && isOpaque(node)
      ? [{ kind: 'opaque', name: wordsOf(node), asks: 'grants' }]
      : [],
  );
}

/** Principals, found by their policies. */
class PolicyIndex {
  readonly all: readonly Principals[];
  readonly #book: RuleBook;
  readonly #byPolicy: Map<string, Principals[]>;
  /** Principals with a policy that cannot be read, which may say anything. */
  readonly #unread: Principals[];

  constructor(all: Principals[], book: RuleBook) {
    this.all = all;
    this.#book = book;
    this.#unread = all.filter(({ after }) => after.some((name) => !book.isRead(name)));
    this.#byPolicy = byPolicy(all, ({ after }) => after);
  }

  /** Whether one of them has one of the policies, or one that may say the same. */
  matches(names: readonly string[]): boolean {
    return this.#unread.length > 0 || names.some((name) => this.#byPolicy.has(name));
  }

  /** All of them, grouped by which of the policies they have; last the group that has none. */
  same(names: readonly string[]): SamePolicies[] {
    const having = new Set([...this.#unread, ...names.flatMap((name) => this.#byPolicy.get(name) ?? [])]);
    const asked = new Set(names);
    const same = new Map<string, SamePolicies & { principals: Principals[] }>();
    for (const principals of having) {
      const { after } = principals;
      const unread = after.filter((name) => !this.#book.isRead(name));
      const policies = [...after.filter((name) => asked.has(name)), ...unread];
      const key = JSON.stringify(policies);
      getOrMake(same, key, () => ({ principals: [], policies, unread })).principals.push(principals);
    }
    if (having.size === this.all.length) return [...same.values()];
    const { all } = this;
    let silent: Principals[] | undefined;
    const unaffected: SamePolicies = {
      // They are many, and seldom asked for.
      get principals() {
        silent ??= all.filter((principals) => !having.has(principals));
        return silent;
      },
      policies: [],
      unread: [],
    };
    return [...same.values(), unaffected];
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
  const given = isGiven
    ? { givers, limits: limitsOf(rule), unread, pattern: rule.path }
    : { givers: [], limits: [], unread };
  if (unread.length === 0) return { ...given, can: isGiven ? 'yes' : 'no' };
  // A policy that cannot be read cannot undo a denial of this very path.
  const isDenied = rule?.capabilities.has('deny') === true && view.isExact(rank);
  return { ...given, can: isDenied ? 'no' : 'unknown' };
}

/** A sign-in, and whom its role lets in, where its provider has words for it. */
export interface SignIn {
  role: string;
  token: Witness;
  whom?: ProviderWhom;
}

/** A sign-in that gets the policies of a role, or of a group by one of the roles. */
export function signInOf(principals: Principals, roles: readonly Principals[]): SignIn | undefined {
  const { kind, name } = principals;
  const candidates = kind === 'role' ? [principals] : roles.filter(({ readsGroups }) => readsGroups);
  for (const role of candidates) {
    if (role.population === undefined) continue;
    const { whom, ...everyone } = role.population();
    const token = witnessOf(everyone, kind === 'alias' ? [name] : []);
    if (token !== undefined) return defined({ role: role.name, token, whom });
  }
  return undefined;
}
