import type { Graph } from '../model/graph.ts';
import { Budget } from '../model/values/budget.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import type { Principals } from './access-change.ts';
import { firstMatch } from './first-match.ts';
import { byPolicy } from './grants.ts';
import { policySides } from './policy-sides.ts';
import { missingOfAll, type PathView, RuleBook } from './rule-book.ts';

/** Capabilities that only look. Any other, known or not, changes something. */
const looking = ['read', 'list', 'scan', 'subscribe'];

/** Whether something can be changed by a capability. */
export function isWriting(capability: string): boolean {
  return !looking.includes(capability);
}

/** Paths of auth methods have as many segments as people like. */
const mounts = ['+', '+/+', '+/+/+'];

/** Where policies, roles, groups and auth methods are written. */
export const settings: readonly string[] = [
  'sys/policies/acl/+',
  'sys/policy/+',
  ...mounts.flatMap((mount) => [
    `sys/auth/${mount}`,
    `auth/${mount}/config`,
    `auth/${mount}/role/+`,
    `auth/${mount}/roles/+`,
    `auth/${mount}/users/+`,
    `auth/${mount}/groups/+`,
    `auth/${mount}/certs/+`,
    `auth/${mount}/map/+/+`,
  ]),
  'identity/group',
  'identity/group/id/+',
  'identity/group/name/+',
  'identity/group-alias',
  'identity/group-alias/id/+',
  'identity/entity',
  'identity/entity/id/+',
  'identity/entity/name/+',
  'identity/entity/merge',
  'identity/entity-alias',
  'identity/entity-alias/id/+',
];

/**
 * Where one decides who signs in, and with what, or gets round it: who writes there is an owner of the service
 * (docs/access.md says what is not among it, and why).
 */
export const administration: readonly string[] = [
  ...settings,
  'sys/policies/egp/+',
  'sys/policies/rgp/+',
  ...mounts.flatMap((mount) => [
    `sys/auth/${mount}/tune`,
    `sys/mounts/auth/${mount}/tune`,
    `auth/${mount}/config/+`,
    `auth/${mount}/role/+/+`,
    `auth/${mount}/users/+/+`,
  ]),
  'auth/token/create',
  'auth/token/create/+',
  'auth/token/create-orphan',
  'identity/alias',
  'identity/alias/id/+',
  'identity/persona',
  'identity/persona/id/+',
  'identity/mfa/*',
  'sys/raw/*',
  'sys/remount',
  'sys/namespaces/*',
  'sys/plugins/catalog/*',
  'sys/audit/*',
  'sys/storage/raft/snapshot',
  'sys/storage/raft/snapshot-force',
];

/**
 * Whether a capability on one of these patterns is administration. A token that is made has no more than its maker, but
 * with `sudo` (openbao vault/token_store.go, `handleCreateCommon`).
 */
export function administers(pattern: string, capability: string): boolean {
  if (pattern === 'auth/token/create') return capability === 'sudo' || capability === 'root';
  return isWriting(capability);
}

/**
 * The groups that let principals who newly get into them administer what the role alone does not; one path each.
 * A role with a single group is enough: others can only take away (see `Reach.whoCan`).
 *
 * @param now nanoseconds since 1970: rules of policies may expire
 * @returns and what is missing where that is not known
 */
export function administeringGroups(
  principals: readonly Principals[],
  graph: Graph,
  now: bigint,
): { found: Map<Principals, { group: string; path: string }[]>; missing?: string | undefined } {
  const found = new Map<Principals, { group: string; path: string }[]>();
  const tokens = principals.flatMap((by) => (by.joins ?? []).map((group) => ({ by, group })));
  if (tokens.length === 0) return { found };
  const names = new Set(
    principals.flatMap(({ after, joins = [] }) => joins.flatMap(({ policies }) => [...after, ...policies])),
  );
  const book = new RuleBook(policySides(names, graph, graph), now);
  const seen = new Set<(typeof tokens)[number]>();
  const having = byPolicy(tokens, ({ group }) => group.policies);
  const budget = new Budget();
  const lookAt = (pattern: string, view: PathView) => {
    if (view.asks !== 'others') return;
    const matches = view.matches('after');
    const may = (policies: readonly string[]) => {
      budget.spend(3, 'combinations of roles and groups');
      const { capabilities = new Set<string>() } =
        firstMatch(policies.map((name) => matches.get(name))).rule ?? {};
      return !capabilities.has('deny') && [...capabilities].some((one) => administers(pattern, one));
    };
    for (const token of new Set([...matches.keys()].flatMap((name) => having.get(name) ?? []))) {
      const { by, group } = token;
      if (seen.has(token)) continue;
      if (!may([...new Set([...by.after, ...group.policies])]) || may(by.after)) continue;
      seen.add(token);
      getOrMake(found, by, () => []).push({ group: group.name, path: view.path });
    }
  };
  const missing = missingOfAll(() => {
    for (const pattern of administration)
      book.visit(names, { patterns: new Set([pattern]) }, (view) => lookAt(pattern, view), budget);
  });
  return { found, missing };
}
