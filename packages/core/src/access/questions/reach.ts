import type { Graph } from '../../graph/graph.ts';
import { namedKey } from '../../graph/memberships.ts';
import { isOpaque, ofKind, wordsOf } from '../../graph/nodes/other-node.ts';
import type { Role } from '../../graph/resources/role.ts';
import { nameKey } from '../../graph/values/name-key.ts';
import { partName } from '../../graph/values/visible.ts';
import { firstMatch, isDenial } from '../first-match.ts';
import { GraphIndex, unique } from '../graph-index.ts';
import { limitsOf } from '../limits.ts';
import { policySides } from '../policy-sides.ts';
import type { Reason } from '../reasons/reason.ts';
import { missingOfAll, type PathView, RuleBook } from '../rule-book.ts';

/** What a token can do where one pattern decides. */
export interface Reached {
  pattern: string;
  /** One of its paths where no other pattern decides. */
  path: string;
  /** `deny` alone where it takes away. */
  capabilities: string[];
  /** The policies that name the pattern. */
  policies: string[];
  /** Which of them give each capability. */
  from: Record<string, string[]>;
  limits: string[];
}

/** What policies together allow. */
export interface PoliciesReach {
  policies: string[];
  rows: Reached[];
  /** Policies that cannot be read: they may give anything, or take it away. */
  unread: string[];
  /** What is missing to know everything. */
  missing: Reason[];
}

/** What a role gives, together with groups. */
export interface ReachOfRole extends PoliciesReach {
  role: { method: string; name: string };
  /** The groups whose policies count here, by their names. */
  groups: string[];
}

/**
 * Everything that a token of a role can do. It may be in any of these external groups, and is in each that the role's
 * bounds require.
 *
 * @param groups names of external groups
 * @param now nanoseconds since 1970: rules of policies may expire
 */
export function reachOf(graph: Graph, role: Role, groups: readonly string[], now: bigint): ReachOfRole {
  const index = new GraphIndex(graph);
  const [required, ...rest] = index.keptBy(role);
  const isRequired = ({ method, alias }: { method: string; alias: string }) =>
    rest.length === 0 && method === role.method && nameKey(alias) === nameKey(required?.name ?? '');
  const wanted = new Set(groups.map(nameKey));
  const given = groupsIn(graph).filter((one) => wanted.has(nameKey(one.group)) || isRequired(one));
  const policies = [...index.policiesOfRole(role), ...given.flatMap((one) => one.policies)];
  return {
    role: { method: role.method, name: role.name },
    groups: [...new Set([...groups, ...given.flatMap((one) => (isRequired(one) ? one.group : []))])],
    ...reachOfPolicies(graph, policies, now),
  };
}

/**
 * Everything that a token with these policies can do: one row for each pattern that decides somewhere. So a pattern that
 * others hide everywhere has no row, and a hole in one has its own.
 */
export function reachOfPolicies(graph: Graph, held: readonly string[], now: bigint): PoliciesReach {
  const policies = unique(held);
  const book = new RuleBook(policySides(policies, graph, graph), now);
  const rows = new Map<string, Reached>();
  const look = (view: PathView) => {
    const matches = view.matches('after');
    const decision = firstMatch(policies.map((name) => matches.get(name)));
    const { rank, rule } = decision;
    if (rule === undefined) return;
    const { path: pattern, capabilities } = rule;
    const isDenied = isDenial(decision) || capabilities.size === 0;
    const givers = policies.filter((name) => matches.get(name)?.rank === rank);
    const row = rows.get(pattern) ?? {
      pattern,
      path: view.path,
      capabilities: [],
      policies: givers,
      from: {},
      limits: isDenied ? [] : limitsOf(rule),
    };
    const here = [...capabilities].filter((one) => (one === 'list') === (view.asks === 'list'));
    row.capabilities = [...new Set([...row.capabilities, ...(isDenied ? ['deny'] : here)])].sort();
    for (const capability of row.capabilities) {
      row.from[capability] ??= givers.filter((name) => {
        const own = matches.get(name)?.rule?.capabilities;
        return own?.has(capability) || (capability === 'deny' && own?.size === 0);
      });
    }
    rows.set(pattern, row);
  };
  const patterns = new Set(book.rules(policies).keys());
  const missing = missingOfAll(() => book.visit(policies, { patterns, isSymbolic: true }, look));
  return {
    policies,
    rows: [...rows.values()]
      // It decides, and what it gives is asked elsewhere: a list, at the path with a slash.
      .map((row) =>
        row.capabilities.length > 0
          ? row
          : { ...row, capabilities: ['deny'], from: { deny: row.policies }, limits: [] },
      )
      .sort((one, other) => (one.pattern < other.pattern ? -1 : 1)),
    unread: policies.filter((name) => !book.isRead(name)),
    missing: missing === undefined ? [] : [missing],
  };
}

/** Who is asked about, other than a role of an OIDC or JWT method. */
export interface AskedPrincipal {
  /** `role` is a role, user, group or team of another method. */
  kind: 'role' | 'entity' | 'group';
  name: string;
  /** Path of the auth method. */
  method?: string | undefined;
  /** Type of the auth method: `approle`. Defaults to any. */
  type?: string | undefined;
}

/** Principals that are called so, with what they have; several where methods have a role of one name. */
export function principalsNamed(
  graph: Graph,
  { kind, name, method, type }: AskedPrincipal,
): { words: string; policies: string[]; isOpaque: boolean }[] {
  const index = new GraphIndex(graph);
  if (kind !== 'role') {
    const isThere = index.standing.has(namedKey({ kind, name }));
    const policies = isThere ? index.policiesOf(kind, name) : [];
    return isThere ? [{ words: partName(kind, name), policies, isOpaque: false }] : [];
  }
  return ofKind(graph.others, 'otherRole')
    .filter(
      (role) =>
        nameKey(role.name) === nameKey(name) &&
        (method === undefined || method === role.method) &&
        (type === undefined || type === role.type),
    )
    .map((role) => ({
      words: wordsOf(role),
      policies: index.policiesOfOther(role),
      isOpaque: isOpaque(role),
    }));
}

/** The external groups that people get into by a method, with what each adds. */
export function groupsOf(
  graph: Graph,
  method: string,
): { group: string; alias: string; policies: string[] }[] {
  return groupsIn(graph)
    .filter((one) => nameKey(one.method) === nameKey(method))
    .map(({ group, alias, policies }) => ({ group, alias, policies }));
}

/** All external groups that have an alias, with what each adds where a role reads it. */
function groupsIn(graph: Graph) {
  const index = new GraphIndex(graph);
  return [...index.aliases.values()].map(({ method, group, name: alias }) => ({
    method,
    group,
    alias,
    policies: index.readsGroups(method) ? index.policiesOf('group', group) : [],
  }));
}
