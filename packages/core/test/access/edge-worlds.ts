import {
  aliasNode,
  groupAliasesNode,
  methodNode,
  type NodeKey,
  roleNode,
} from '../../src/access/edges/edge.ts';
import type { Change } from '../../src/graph/change.ts';
import { keyOfNode } from '../../src/graph/nodes/other-node.ts';
import { graph } from '../worlds.ts';

// Worlds by the row of the table of edges that matters in them: the kind of node that it is of, and its attribute.

/** A graph in which tokens have the policy `p` by one row alone. */
export interface HeldWorld {
  text: string;
  /** Where the token begins; defaults to the last node that no stack declares. */
  from?: NodeKey;
}

const reader = 'role r - groupsClaim: groups, tokenNoDefaultPolicy: true';
const from = roleNode('ci', 'r');
const mapped = 'group g p\n alias a ci g';

export const heldWorlds: Record<string, HeldWorld> = {
  'role policies': { text: 'role r p tokenNoDefaultPolicy: true', from },
  'role tokenNoDefaultPolicy': { text: 'role r - tokenNoDefaultPolicy: false', from },
  'role method': { text: `${reader}\n ${mapped}`, from },
  'role boundClaims': {
    text: `role r - groupsClaim: groups, boundClaims: {groups: [a]}\n ${mapped}`,
    from,
  },
  'method groupsClaim': { text: `${reader}\n ${mapped}`, from },
  'method entityAliases': { text: 'role r -\n entity ann p\n entity-alias ann ci ann', from },
  'method otherAliases': { text: 'group g p\n group-alias a ldap ldap g', from: methodNode('ldap') },
  'method otherRoles': { text: 'ldap-group ldap/crew p', from: methodNode('ldap') },
  'method policies': { text: 'mount ldap ldap token_policies: [p]', from: methodNode('ldap') },
  'groupAliases aliases': { text: `${reader}\n ${mapped}`, from: groupAliasesNode('ci') },
  'otherMethod policies': { text: 'mount ldap ldap token_policies: [p]' },
  'otherRole policies': { text: 'approle apps/web p' },
  'otherRole allowedPolicies': { text: 'token t p' },
  'otherRole allowedPoliciesGlob': { text: 'policy p: a read\n token t - allowed_policies_glob: ["p*"]' },
  'otherRole tokenNoDefaultPolicy': { text: 'approle apps/web -' },
  'otherRole method': { text: 'entity ann p\n entity-alias ann apps ann\n approle apps/web -' },
  'otherRole maker': { text: `${reader}\n ${mapped}\n token t -` },
  'alias group': { text: mapped, from: aliasNode({ method: 'ci', name: 'a' }) },
  'otherAlias group': { text: 'group g p\n group-alias a ldap ldap g' },
  'entityAlias entity': { text: 'entity ann p\n entity-alias ann ci ann' },
  'issuedTokens policies': { text: 'issued p' },
  'issuedTokens entity': { text: 'entity ann p\n issued - ann' },
  'issuedTokens method': { text: 'ldap-group ldap/crew p\n issued - ann ldap' },
  'group policies': { text: 'group g p', from: 'group g' },
  'group members': { text: 'group g -\n internal outer p group:g', from: 'group g' },
  'entity policies': { text: 'entity ann p', from: 'entity ann' },
  'entity members': { text: 'entity ann -\n internal outer p entity:ann', from: 'entity ann' },
  'entity aliases': {
    text: `${reader}\n ${mapped}\n entity-alias ann ci ann\n entity-alias ann far ann`,
    from: methodNode('far'),
  },
  'other policies': { text: 'made-token t p' },
};

/** A change that leads out of the graphs, and what is said of it. */
export interface OpenWorld extends Partial<Pick<Change, 'replaced' | 'remade' | 'remadeOthers' | 'unknown'>> {
  change: string;
  says: string[];
}

const appRole = 'approle apps/app -';
const bobs = 'entity-alias bob ci bob';
const reading = 'policy t: kv/{{identity.groups.names.g.metadata.team}} read';
const filled = 'what policy t allows, which group g fills in';
const named = 'policy t: kv/{{identity.groups.names.g.name}} read';
const readsEntity = 'policy t: kv/{{identity.entity.name}} read';
const byName = (of: string) => `policies elsewhere that read the name of ${of}`;
const elsewhere = (of: string) => `groups, policies and second factors elsewhere of ${of}`;
const byMetadata = (of: string) => `policies elsewhere that read the metadata of ${of}`;
const says = (of: string) => `~ ${of} alias_metadata: {team: dev} → alias_metadata: {team: prod}`;
const secretId = '~ secret-id s apps/app metadata: {team: dev} → metadata: {team: prod}';
const team = (of: string) => `~ ${of} - metadata: {team: a} → metadata: {team: b}`;

export const openWorlds: Record<string, OpenWorld[]> = {
  'method id': [
    {
      change: 'method ci',
      replaced: [{ type: 'method', name: 'ci' }],
      says: ['entities and groups elsewhere with an alias of auth/ci'],
    },
  ],
  'otherRole id': [
    {
      change: appRole,
      remadeOthers: (graph(appRole).others ?? []).map(keyOfNode),
      says: ['the entity that principals of role app of apps (approle) are known as'],
    },
  ],
  'role groupsClaim': [
    {
      change: '~ role r groupsClaim: groups → groupsClaim: teams',
      says: ['other groups with an alias of auth/ci'],
    },
    {
      change: `complete policies\n ${named}\n group g -\n alias a ci g\n ~ role r → groupsClaim: groups`,
      says: [filled],
    },
  ],
  'alias group': [
    { change: 'group g -\n + alias a ci g', says: [elsewhere('group g')] },
    { change: `${reading}\n group g -\n + alias a ci g`, says: [elsewhere('group g'), filled] },
    { change: `complete policies\n ${named}\n + group g -\n + alias a ci g`, says: [filled] },
  ],
  'otherAlias group': [
    { change: `complete policies\n ${named}\n group g -\n + group-alias a ldap ldap g`, says: [filled] },
  ],
  'entityAlias entity': [
    {
      change: `+ ${bobs}`,
      says: ['what alias bob of ci for entity bob had before', elsewhere('entity bob')],
    },
  ],
  'issuedTokens entity': [
    {
      change: '+ issued - bob',
      says: ['what tokens without policies of entity bob had before', elsewhere('entity bob')],
    },
  ],
  'group id': [{ change: 'group g -', remade: [{ type: 'group', name: 'g' }], says: [elsewhere('group g')] }],
  'entity id': [
    { change: 'entity bob -', remade: [{ type: 'entity', name: 'bob' }], says: [elsewhere('entity bob')] },
  ],
  'group name': [
    { change: '+ group g -\n + alias a ci g', says: [byName('group g')] },
    {
      change: '+ group g - metadata: {team: a}\n + alias a ci g',
      says: ['policies elsewhere that read the name or metadata of group g'],
    },
  ],
  'entity name': [
    {
      change: `complete policies\n ${readsEntity}\n + entity bob -\n + ${bobs}`,
      says: ['what policy t allows, which entity bob fills in'],
    },
  ],
  'group members': [
    {
      change: 'group g -\n - internal outer -\n + internal outer - group:g',
      says: [elsewhere('group outer')],
    },
  ],
  'entity members': [
    { change: '- internal outer -\n + internal outer - entity:e', says: [elsewhere('group outer')] },
    { change: `complete policies\n ${named}\n entity e -\n + internal g - entity:e`, says: [filled] },
  ],
  'group metadata': [
    { change: team('group g'), says: [byMetadata('group g')] },
    { change: `complete policies\n ${reading}\n ${team('group g')}`, says: [filled] },
    {
      change: `complete policies\n ${reading}; kv/{{identity.groups.names.g.metadata.env}} read
        ~ group g - metadata: {team: a, env: b} → metadata: {team: b, env: a}`,
      says: [filled],
    },
  ],
  'entity metadata': [{ change: team('entity bob'), says: [byMetadata('entity bob')] }],
  'otherMethod metadata': [{ change: says('mount people ldap'), says: [byMetadata('method people (ldap)')] }],
  'otherRole metadata': [{ change: says(appRole), says: [byMetadata('role app of apps (approle)')] }],
  'other metadata': [
    { change: secretId, says: [byMetadata('secret id s of role app of apps (approle)')] },
    {
      change: `complete policies\n policy t: kv/{{identity.entity.aliases.acc.metadata.team}} read\n ${secretId}`,
      says: [
        'what policy t allows, which the metadata of secret id s of role app of apps (approle) fills in',
      ],
    },
  ],
};

const leaves = 'entity-alias ann people e\n - internal g - entity:e\n + internal g -';
const people = 'complete\n complete others:people\n mount people userpass\n user people/ann -\n entity e -';

/** Changes by which people leave a guard, or stay within it by one row alone. */
export const guardWorlds: Record<string, string> = {
  'guard groups': `${people}\n guard en group:g\n ${leaves}`,
  'guard entities': `${people}\n guard en entity:e\n - entity-alias ann people e`,
  'guard methods': `${people}\n guard en group:g method:people\n ${leaves}`,
  'guard types': `${people}\n guard en group:g type:userpass\n ${leaves}`,
  'method type': `${people}\n guard en group:g type:userpass\n ${leaves}`,
};

const keys = (host: string) => `jwksUrl: https://${host}.example/keys`;

/** Gains in the graphs, by what rows decide. */
export const gains: Record<string, string> = {
  'method config': `role r\n ~ method ci ${keys('a')} → ${keys('b')}`,
  'method tune': 'role r\n ~ method ci tune: {maxLeaseTtl: 60} → tune: {maxLeaseTtl: 3600}',
  'role bounds': '~ role r p boundClaims: {org: [a]} → boundClaims: null',
  'role ttl': '~ role r ttl: 60 → ttl: 3600',
  'role tokenLimits': `policy mk: auth/token/create update\n ~ role r mk tokenNumUses: 1 → tokenNumUses: null`,
  'role policies': '~ role r - → p',
  'role userClaim': '~ role r → userClaim: email',
  'role claimMappings': '~ role r → claimMappings: {team: team}',
  'otherRole bounds': '~ approle apps/app p token_bound_cidrs: [10.0.0.0/8] → token_bound_cidrs: null',
  'otherRole tokenLimits': `policy mk: auth/token/create update\n ~ approle app mk token_type: batch → token_type: null`,
  'otherRole policies': `~ ${appRole} → p`,
  'otherMethod policies': '~ mount ldap ldap → token_policies: [p]',
  'otherRole allowedPolicies': '~ token t q → p,q',
  'group policies': '~ internal inner - → p',
  'guard entities': `guard en entity:e\n mount people userpass\n entity e -\n - entity-alias ann people e`,
  'entity disabled': 'entity e p\n - disabled entity e',
  'policy text': 'role r p\n - policy p: a read\n + policy p: a read,update',
};

const own = 'method self jwksUrl: https://vault.example/v1/identity/oidc/.well-known/keys';

/** Sources that lead to a sign-in by one row alone. */
export const credentialWorlds: Record<string, string> = {
  'identityTokenRole claims': `${own}\n role self/adm p\n identity-token w`,
  'pkiRole signs': 'cert cert/admin p\n pki-role pki/web allow_any_name: true',
  'pkiEngine authorities': 'cert cert/admin p\n pki-engine pki authorities: any',
  'acmeOrders orders': 'cert cert/admin p\n acme pki',
  'keptCredential signsInBy': 'approle apps/app p\n kept secret/creds apps/app',
};
