import { keyOfNode, type OtherNode, ofKind, wordsOf } from '../../graph/nodes/other-node.ts';
import { type OtherRole, picksPolicies, unitesWithOthers } from '../../graph/nodes/other-role.ts';
import type { Role } from '../../graph/resources/role.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { textsOf } from '../../graph/values/loose-values.ts';
import { policyKey } from '../../graph/values/name-key.ts';
import { matchesGlob } from '../../login/bound-claims.ts';
import {
  aliasNode,
  type EdgeNodes,
  type EdgeRow,
  groupAliasesNode,
  type Lookup,
  methodNode,
  methodTypeNode,
  type NodeKey,
  policyNode,
  policyNodes,
} from './edge.ts';
import { signInMetadataRow } from './metadata-rows.ts';
import { endElsewhere, type OpenEnd } from './open-end.ts';

/** By what people and workloads sign in. */
type SignInKind = 'method' | 'methodType' | 'groupAliases' | 'role' | 'otherMethod' | 'otherRole';

const makingTokens = { file: 'openbao/vault/token_store.go', symbol: 'handleCreateCommon' };

export const signInRows: { [Kind in SignInKind]: EdgeRow<EdgeNodes[Kind]>[] } = {
  method: [
    { attribute: 'id', decides: ['identity', 'groups'], opens: 'aliases' },
    { attribute: 'config', decides: ['who'] },
    { attribute: 'tune', decides: ['lifetime', 'abilities'] },
    {
      attribute: 'type',
      decides: ['who'],
      how: 'always',
      to: 'methodType',
      ends: ({ path }, lookup) => [methodTypeNode(lookup.typeOf(path))],
    },
    {
      attribute: 'groupsClaim',
      decides: ['groups'],
      how: 'always',
      to: 'groupAliases',
      // Groups hang on the entity, whichever role of the method a person signs in by.
      source: {
        file: 'openbao/vault/identity_store_util.go',
        symbol: 'refreshExternalGroupMembershipsByEntityID',
      },
      ends: ({ path }, lookup) => (lookup.readsGroups(path) ? [groupAliasesNode(path)] : []),
      lists: ['aliases'],
    },
    {
      attribute: 'entityAliases',
      decides: ['identity'],
      how: 'any of',
      to: 'entityAlias',
      ends: ({ path }, lookup) => ofKind(lookup.othersAt(path), 'entityAlias').map(keyOfNode),
      lists: ['others', 'identities'],
    },
    {
      attribute: 'otherAliases',
      decides: ['groups'],
      how: 'any of',
      to: 'otherAlias',
      ends: ({ path }, lookup) => ofKind(lookup.othersAt(path), 'otherAlias').map(keyOfNode),
      lists: ['others'],
    },
    {
      attribute: 'otherRoles',
      decides: ['policies'],
      how: 'any of',
      to: 'otherRole',
      source: { file: 'vault/builtin/credential/ldap/backend.go', symbol: 'Login' },
      ends: ({ path }, lookup) =>
        ofKind(lookup.othersAt(path), 'otherRole').filter(unitesWithOthers).map(keyOfNode),
      lists: ['others'],
    },
    {
      attribute: 'policies',
      decides: ['policies'],
      how: 'any of',
      to: 'otherMethod',
      source: { file: 'vault/builtin/credential/ldap/path_login.go', symbol: 'TokenPolicies' },
      ends: ({ path }, lookup) =>
        ofKind(lookup.othersAt(path), 'otherMethod')
          .filter(({ policies }) => policies.length > 0)
          .map(keyOfNode),
      lists: ['others'],
    },
  ],
  methodType: [],
  groupAliases: [
    {
      attribute: 'aliases',
      decides: ['groups'],
      how: 'any of',
      to: 'alias',
      ends: ({ path }, lookup) => lookup.aliasesAt(path).map(aliasNode),
      lists: ['aliases'],
    },
  ],
  otherMethod: [
    {
      attribute: 'policies',
      decides: ['policies'],
      how: 'always',
      to: 'policy',
      source: { file: 'vault/builtin/credential/github/path_login.go', symbol: 'TokenPolicies' },
      ends: policyNodes,
    },
    signInMetadataRow,
  ],
  otherRole: [
    {
      attribute: 'id',
      decides: ['identity'],
      opens: 'former-entity',
      open: (role, lookup, key) => (lookup.isFresh(key) ? [] : [formerEntity(role, lookup, key)]),
      isOfStaying: true,
    },
    { attribute: 'bounds', decides: ['who'] },
    { attribute: 'tokenLimits', decides: ['abilities'] },
    {
      attribute: 'policies',
      decides: ['policies'],
      how: 'always',
      to: 'policy',
      ends: (role) => (picksPolicies(role) ? [] : policyNodes(role)),
    },
    {
      attribute: 'allowedPolicies',
      decides: ['policies'],
      how: 'some of',
      to: 'policy',
      source: makingTokens,
      ends: (role) => (picksPolicies(role) ? policyNodes(role) : []),
    },
    {
      attribute: 'allowedPoliciesGlob',
      decides: ['policies'],
      how: 'some of',
      to: 'policy',
      source: makingTokens,
      ends: askedByPattern,
    },
    {
      attribute: 'tokenNoDefaultPolicy',
      decides: ['policies'],
      how: 'always',
      to: 'policy',
      ends: ({ bounds }) => (bounds['token_no_default_policy'] === true ? [] : [policyNode('default')]),
    },
    {
      attribute: 'method',
      decides: ['identity', 'groups'],
      how: 'always',
      to: 'method',
      ends: ({ method }) => [methodNode(method)],
    },
    {
      attribute: 'maker',
      decides: ['groups'],
      how: 'always',
      to: 'groupAliases',
      // A token that is made has the entity and the groups of its maker.
      source: makingTokens,
      ends: (role, { graph }) =>
        role.type === 'token'
          ? [...new Set(graph.aliases.map(({ method }) => groupAliasesNode(method)))]
          : [],
    },
    signInMetadataRow,
  ],
  role: [
    { attribute: 'bounds', decides: ['who'] },
    { attribute: 'ttl', decides: ['lifetime'] },
    { attribute: 'tokenLimits', decides: ['abilities'] },
    // Which entity it leads to, the value of the claim decides: sign-in/identity-change.ts compares them.
    { attribute: 'userClaim', decides: ['identity'] },
    {
      attribute: 'groupsClaim',
      decides: ['groups'],
      opens: 'group-aliases',
      // The method leads to its groups, whichever role reads them; which groups, the claim decides.
      open: groupsOfClaim,
      isOfStaying: true,
    },
    // What is written there is in no graph: sign-in/identity-change.ts compares the claims.
    {
      attribute: 'claimMappings',
      decides: ['templates'],
      how: 'fills in',
      to: 'policy',
      lists: ['policies'],
    },
    { attribute: 'policies', decides: ['policies'], how: 'always', to: 'policy', ends: policyNodes },
    {
      attribute: 'tokenNoDefaultPolicy',
      decides: ['policies'],
      how: 'always',
      to: 'policy',
      ends: ({ tokenNoDefaultPolicy }) => (tokenNoDefaultPolicy ? [] : [policyNode('default')]),
    },
    {
      attribute: 'method',
      decides: ['identity', 'groups'],
      how: 'always',
      to: 'method',
      ends: ({ method }) => [methodNode(method)],
    },
    {
      attribute: 'boundClaims',
      decides: ['who', 'groups'],
      how: 'only if',
      to: 'alias',
      ends: (role, lookup) => lookup.keptBy(role).map(({ name }) => aliasNode({ method: role.method, name })),
    },
  ],
};

/**
 * The entity that principals of a role had before they got this one. The edge that led there is gone from both graphs with the
 * name that the service drew, so that no row has it; where an alias of the method is here, it may be the one.
 */
function formerEntity(role: OtherRole, lookup: Lookup, key: NodeKey): OpenEnd {
  const isLinked = lookup.othersAt(role.method).some(leadsToEntity);
  const end = endElsewhere(key, 'former-entity', { kind: 'other', name: wordsOf(role) });
  return isLinked ? { ...end, isUncertain: true } : end;
}

function leadsToEntity(node: OtherNode): boolean {
  return node.kind === 'entityAlias' || (node.kind === 'issuedTokens' && node.entity !== undefined);
}

/** Methods have thousands of roles: those that read groups from one place share what it leads to. */
const openByReading = new WeakMap<Lookup, Map<string, readonly OpenEnd[]>>();

/** Groups that a claim leads to once it is read: aliases elsewhere, and what hangs on the groups of those that are here. */
function groupsOfClaim(role: Role, lookup: Lookup): readonly OpenEnd[] {
  const { method } = role;
  const reading = lookup.readingOf(role);
  if (reading.from === '') return [];
  const key = JSON.stringify([method, reading]);
  const known = getOrMake(openByReading, lookup, () => new Map());
  return getOrMake(known, key, () => [
    endElsewhere(key, 'group-aliases', { kind: 'method', name: method }),
    ...lookup
      .aliasesAt(method)
      .flatMap((alias) => lookup.openFrom([aliasNode(alias)]))
      .map((end) => ({ ...end, key: `${key} ${end.key}` })),
  ]);
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
