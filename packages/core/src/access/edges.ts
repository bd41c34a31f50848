import type { Graph } from '../graph/graph.ts';
import { type Memberships, type Named, namedKey } from '../graph/memberships.ts';
import type { EntityAlias, OtherAlias } from '../graph/nodes/other-alias.ts';
import type { OtherMethod } from '../graph/nodes/other-method.ts';
import { keyOfNode, type OtherNode } from '../graph/nodes/other-node.ts';
import { type OtherRole, picksPolicies, unitesWithOthers } from '../graph/nodes/other-role.ts';
import type { IssuedTokens } from '../graph/nodes/tokens.ts';
import type { GroupAlias } from '../graph/resources/group-alias.ts';
import type { Role } from '../graph/resources/role.ts';
import { textsOf } from '../graph/values/loose-values.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { matchesGlob } from '../login/bound-claims.ts';

/**
 * How what an edge leads to comes to a token.
 * - `always`: each token has it. - `any of`: a token has any of them, as its sign-in or its entity brings them.
 * - `some of`: who makes the token picks. - `only if`: a sign-in brings one of them at least.
 */
export type How = 'always' | 'any of' | 'some of' | 'only if';

/** A node, by a key that is equal for every spelling of its name. */
export type NodeKey = string;

/** What edges lead from. Policies are ends alone. */
export interface EdgeNodes {
  role: Role;
  otherRole: OtherRole;
  /** A mount of any type: whatever signs in there. */
  method: { path: string };
  /** The aliases of groups at a mount. */
  groupAliases: { path: string };
  otherMethod: OtherMethod;
  alias: GroupAlias;
  otherAlias: OtherAlias;
  entityAlias: EntityAlias;
  issuedTokens: IssuedTokens;
  /** Of an OIDC or JWT method, or of the service itself, with all that is attached to it. */
  group: Named & { policies: readonly string[] };
  entity: Named & { policies: readonly string[] };
  /** What gives policies by itself: a token of a plan, a write. */
  other: { policies: readonly string[] };
}
export type EdgeKind = keyof EdgeNodes;

/** What is looked up along edges. */
export interface Lookup {
  graph: Graph;
  memberships: Memberships;
  /** Whether a role of a method reads groups, or may. */
  readsGroups(method: string): boolean;
  aliasesAt(method: string): readonly GroupAlias[];
  othersAt(method: string): readonly OtherNode[];
  /** Paths of the methods at which an entity has an alias. */
  methodsOf(entity: string): readonly string[];
  /** The provider's groups that the bounds of a role require one of; empty if a token may be in no group. */
  keptBy(role: Role): readonly { name: string }[];
}

/** One row of the table: where an attribute of a kind of node leads. */
export interface EdgeRow<From> {
  attribute: string;
  how: How;
  to: EdgeKind | 'policy';
  /** What shows it, in a server's source. Defaults to requests that were measured on OpenBao. */
  source?: { file: string; symbol: string };
  ends(from: From, lookup: Lookup): readonly NodeKey[];
}

export const policyNode = (name: string): NodeKey => `policy ${policyKey(name)}`;
/** The name of a policy; undefined for the key of anything else. */
export const policyOf = (key: NodeKey): string | undefined =>
  key.startsWith('policy ') ? key.slice('policy '.length) : undefined;
export const roleNode = (method: string, name: string): NodeKey =>
  `role ${JSON.stringify([method, nameKey(name)])}`;
export const aliasNode = ({ method, name }: Pick<GroupAlias, 'method' | 'name'>): NodeKey =>
  `alias ${JSON.stringify([method, nameKey(name)])}`;
export const methodNode = (path: string): NodeKey => `mount ${path}`;
export const groupAliasesNode = (path: string): NodeKey => `group aliases ${path}`;
const groupNode = (name: string): NodeKey => namedKey({ kind: 'group', name });
const entityNode = (name: string): NodeKey => namedKey({ kind: 'entity', name });

const policyNodes = ({ policies = [] }: { policies?: readonly string[] }) => policies.map(policyNode);

/** Groups and entities have their own policies, and those of the groups around them. */
const ofIdentity = [
  { attribute: 'policies', how: 'always', to: 'policy', ends: policyNodes },
  {
    attribute: 'members',
    how: 'always',
    to: 'group',
    ends: (named, { memberships }) => memberships.around(named).map(({ key }) => key),
  },
] as const satisfies EdgeRow<EdgeNodes['group']>[];

/** What leads to what, by the kind of what it leads from. Nothing else composes what a token holds. */
export const edges: { readonly [Kind in EdgeKind]: readonly EdgeRow<EdgeNodes[Kind]>[] } = {
  role: [
    { attribute: 'policies', how: 'always', to: 'policy', ends: policyNodes },
    {
      attribute: 'tokenNoDefaultPolicy',
      how: 'always',
      to: 'policy',
      ends: ({ tokenNoDefaultPolicy }) => (tokenNoDefaultPolicy ? [] : [policyNode('default')]),
    },
    { attribute: 'method', how: 'always', to: 'method', ends: ({ method }) => [methodNode(method)] },
    {
      attribute: 'boundClaims',
      how: 'only if',
      to: 'alias',
      ends: (role, lookup) => lookup.keptBy(role).map(({ name }) => aliasNode({ method: role.method, name })),
    },
  ],
  method: [
    {
      attribute: 'groupsClaim',
      how: 'always',
      to: 'groupAliases',
      // Groups hang on the entity, whichever role of the method a person signs in by.
      source: {
        file: 'openbao/vault/identity_store_util.go',
        symbol: 'refreshExternalGroupMembershipsByEntityID',
      },
      ends: ({ path }, lookup) => (lookup.readsGroups(path) ? [groupAliasesNode(path)] : []),
    },
    {
      attribute: 'entityAliases',
      how: 'any of',
      to: 'entityAlias',
      ends: ({ path }, lookup) => keysOf(lookup.othersAt(path), ({ kind }) => kind === 'entityAlias'),
    },
    {
      attribute: 'otherAliases',
      how: 'any of',
      to: 'otherAlias',
      ends: ({ path }, lookup) => keysOf(lookup.othersAt(path), ({ kind }) => kind === 'otherAlias'),
    },
    {
      attribute: 'otherRoles',
      how: 'any of',
      to: 'otherRole',
      source: { file: 'vault/builtin/credential/ldap/backend.go', symbol: 'Login' },
      ends: ({ path }, lookup) =>
        keysOf(lookup.othersAt(path), (node) => node.kind === 'otherRole' && unitesWithOthers(node)),
    },
    {
      attribute: 'policies',
      how: 'any of',
      to: 'otherMethod',
      source: { file: 'vault/builtin/credential/ldap/path_login.go', symbol: 'TokenPolicies' },
      ends: ({ path }, lookup) =>
        keysOf(lookup.othersAt(path), (node) => node.kind === 'otherMethod' && node.policies.length > 0),
    },
  ],
  groupAliases: [
    {
      attribute: 'aliases',
      how: 'any of',
      to: 'alias',
      ends: ({ path }, lookup) => lookup.aliasesAt(path).map(aliasNode),
    },
  ],
  otherMethod: [{ attribute: 'policies', how: 'always', to: 'policy', ends: policyNodes }],
  otherRole: [
    {
      attribute: 'policies',
      how: 'always',
      to: 'policy',
      ends: (role) => (picksPolicies(role) ? [] : policyNodes(role)),
    },
    {
      attribute: 'allowedPolicies',
      how: 'some of',
      to: 'policy',
      source: { file: 'openbao/vault/token_store.go', symbol: 'handleCreateCommon' },
      ends: (role) => (picksPolicies(role) ? policyNodes(role) : []),
    },
    {
      attribute: 'allowedPoliciesGlob',
      how: 'some of',
      to: 'policy',
      source: { file: 'openbao/vault/token_store.go', symbol: 'handleCreateCommon' },
      ends: askedByPattern,
    },
    {
      attribute: 'tokenNoDefaultPolicy',
      how: 'always',
      to: 'policy',
      ends: ({ bounds }) => (bounds['token_no_default_policy'] === true ? [] : [policyNode('default')]),
    },
    { attribute: 'method', how: 'always', to: 'method', ends: ({ method }) => [methodNode(method)] },
    {
      attribute: 'maker',
      how: 'always',
      to: 'groupAliases',
      // A token that is made has the entity and the groups of its maker.
      source: { file: 'openbao/vault/token_store.go', symbol: 'handleCreateCommon' },
      ends: (role, { graph }) =>
        role.type === 'token'
          ? [...new Set(graph.aliases.map(({ method }) => groupAliasesNode(method)))]
          : [],
    },
  ],
  alias: [{ attribute: 'group', how: 'always', to: 'group', ends: ({ group }) => [groupNode(group)] }],
  otherAlias: [{ attribute: 'group', how: 'always', to: 'group', ends: ({ group }) => [groupNode(group)] }],
  entityAlias: [
    { attribute: 'entity', how: 'always', to: 'entity', ends: ({ entity }) => [entityNode(entity)] },
  ],
  issuedTokens: [
    { attribute: 'policies', how: 'always', to: 'policy', ends: policyNodes },
    {
      attribute: 'entity',
      how: 'always',
      to: 'entity',
      ends: ({ entity }) => (entity === undefined ? [] : [entityNode(entity)]),
    },
    {
      attribute: 'method',
      how: 'always',
      to: 'method',
      ends: ({ method }) => (method === undefined ? [] : [methodNode(method)]),
    },
  ],
  group: ofIdentity,
  entity: [
    ...ofIdentity,
    {
      attribute: 'aliases',
      how: 'always',
      to: 'groupAliases',
      // It keeps the groups of one method when it signs in at another.
      ends: ({ name }, lookup) => lookup.methodsOf(name).map(groupAliasesNode),
    },
  ],
  other: [{ attribute: 'policies', how: 'always', to: 'policy', ends: policyNodes }],
};

function keysOf(nodes: readonly OtherNode[], isWanted: (node: OtherNode) => boolean): NodeKey[] {
  return nodes.filter(isWanted).map(keyOfNode);
}

/** The policies that are here and that a creator of a token may ask for by a pattern of a token role. */
function askedByPattern({ bounds }: OtherRole, { graph }: Lookup): NodeKey[] {
  const namesIn = (field: string) => textsOf(bounds[field]).map(policyKey);
  const allowed = namesIn('allowed_policies_glob');
  if (allowed.length === 0) return [];
  const refused = [...namesIn('disallowed_policies'), ...namesIn('disallowed_policies_glob')];
  const isMatched = (patterns: readonly string[], name: string) =>
    patterns.some((pattern) => matchesGlob(pattern, name));
  return graph.policies
    .map(({ name }) => policyKey(name))
    .filter((name) => isMatched(allowed, name) && !isMatched(refused, name))
    .map(policyNode);
}
