import { expect, test } from '@jest/globals';
import { entityAlias, otherAlias } from '../../../src/graph/nodes/other-alias.ts';
import { otherMethod } from '../../../src/graph/nodes/other-method.ts';
import {
  identityOf,
  keyOfNode,
  type OtherKind,
  type OtherNode,
  type OtherNodeOf,
  type ResourceKey,
  wordsOf,
} from '../../../src/graph/nodes/other-node.ts';
import { otherRole } from '../../../src/graph/nodes/other-role.ts';
import { issuedTokens, plannedToken } from '../../../src/graph/nodes/tokens.ts';
import type { RoleNoun } from '../../../src/graph/resources/other-methods.ts';

const appRole = (name: string) => otherRole({ type: 'approle', method: 'apps', noun: 'role', name }, {});
const secretId = (address: string) =>
  ({ kind: 'secretId', method: 'apps', role: 'web', address, bounds: {} }) as const;
const token = (address: string) => plannedToken('ci', address, {});

/** A node of each kind, its words, its identity, and its key. */
const rows: {
  [Kind in OtherKind]: [node: OtherNodeOf<Kind>, words: string, identity: ResourceKey, key: string];
} = {
  otherMethod: [
    otherMethod('people', 'ldap', {}),
    'method people (ldap)',
    { type: 'mount', name: 'people' },
    '["mount","ldap",null,"people"]',
  ],
  configuration: [
    { kind: 'configuration', method: 'k8s', type: 'kubernetes', part: 'configuration', bounds: {} },
    'configuration of method k8s (kubernetes)',
    { type: 'configuration', mount: 'k8s', name: 'configuration' },
    '["configuration","kubernetes","k8s","configuration"]',
  ],
  otherRole: [
    appRole('Web'),
    'role Web of apps (approle)',
    { type: 'otherRole', mount: 'apps', name: 'role web' },
    '["otherRole","approle","apps","role web"]',
  ],
  program: [
    { kind: 'program', method: 'ci', name: 'cel' },
    'role cel of ci (a program)',
    { type: 'program', mount: 'ci', name: 'cel' },
    '["program",null,"ci","cel"]',
  ],
  secretId: [
    secretId('a.b'),
    'secret id a.b of role web of apps (approle)',
    { type: 'secretId', mount: 'apps', name: 'web a.b' },
    '["secretId","approle","apps","web a.b"]',
  ],
  entityAlias: [
    entityAlias('Ann', 'people', 'Ann Lee'),
    'alias Ann of people for entity "Ann Lee"',
    { type: 'entityAlias', mount: 'people', name: 'ann' },
    '["entityAlias",null,"people","ann"]',
  ],
  otherAlias: [
    otherAlias('Ops', 'people', 'ldap', 'crew'),
    'alias Ops of people (ldap) for group crew',
    { type: 'alias', mount: 'people', name: 'ops' },
    '["alias","ldap","people","ops"]',
  ],
  issuedTokens: [
    issuedTokens(['a', 'b'], 'Ann'),
    'tokens with a, b of entity Ann',
    { type: 'issuedTokens', name: 'tokens with a, b of entity ann' },
    '["issuedTokens",null,null,"tokens with a, b of entity ann"]',
  ],
  token: [token('a.b'), 'token "ci"', { type: 'token', name: 'a.b' }, '["token",null,null,"a.b"]'],
  guard: [
    { kind: 'guard', type: 'egp policy', name: 'e', bounds: {} },
    'egp policy "e"',
    { type: 'guard', name: 'egp policy e' },
    '["guard",null,null,"egp policy e"]',
  ],
  disabling: [
    { kind: 'disabling', of: 'entity', name: 'Ann' },
    'disabling of entity Ann',
    { type: 'disabling', name: 'entity ann' },
    '["disabling",null,null,"entity ann"]',
  ],
  write: [
    { kind: 'write', path: 'sys/x', policies: [], bounds: {}, effect: 'either' },
    'write to sys/x',
    { type: 'endpoint', name: 'sys/x' },
    '["endpoint",null,null,"sys/x"]',
  ],
};

test.each(Object.entries(rows))(
  '%s has words, an identity and a key',
  (kind, [node, words, identity, key]) => {
    expect([node.kind, wordsOf(node), keyOfNode(node)]).toEqual([kind, words, key]);
    expect(JSON.parse(JSON.stringify(identityOf(node)))).toEqual(identity);
  },
);

const named = (type: string, method: string, name = 'x', noun: RoleNoun = 'role') =>
  otherRole({ type, method, noun, name }, {});
const configured = (method: string, type: string, part = 'configuration') =>
  ({ kind: 'configuration', method, type, part, bounds: {} }) as const;

test.each<[words: string, node: OtherNode]>([
  ['user jan of userpass', named('userpass', 'userpass', 'jan', 'user')],
  ['role web of apps (approle)', named('approle', 'apps', 'web')],
  ['role web of team/approle', named('approle', 'team/approle', 'web')],
  ['role web of old-approle (approle)', named('approle', 'old-approle', 'web')],
  ['role web of approle (kubernetes)', named('kubernetes', 'approle', 'web')],
  ['role web of approle/x (approle)', named('approle', 'approle/x', 'web')],
  ['group "on call" of ldap', named('ldap', 'ldap', 'on call', 'group')],
  ['team a/b of "git hub" (github)', named('github', 'git hub', 'a/b', 'team')],
  ['role "" of apps (approle)', named('approle', 'apps', '')],
  ['token role made', named('token', 'token', 'made')],
  ['role "a b" of ci (a program)', { kind: 'program', method: 'ci', name: 'a b' }],
  ['method userpass', otherMethod('userpass', 'userpass', {})],
  ['method "on call" (ldap)', otherMethod('on call', 'ldap', {})],
  ['configuration of method kubernetes', configured('kubernetes', 'kubernetes')],
  [
    'sts role configuration 12 of method cloud (aws)',
    configured('cloud', 'aws', 'sts role configuration 12'),
  ],
  ['alias x of ldap for group g', otherAlias('x', 'ldap', 'ldap', 'g')],
  ['alias "x y" of m (ldap) for group "g h"', otherAlias('x y', 'm', 'ldap', 'g h')],
  ['alias ann of userpass for entity ann', entityAlias('ann', 'userpass', 'ann')],
  ['secret id b of role web of apps (approle)', secretId('vault_approle_auth_backend_role_secret_id.b')],
  [
    'secret id module.shop.this of role web of apps (approle)',
    secretId('module.shop.vault_approle_auth_backend_role_secret_id.this'),
  ],
  [
    'secret id "a[\\"x\\"]" of role web of apps (approle)',
    secretId('vault_approle_auth_backend_role_secret_id.a["x"]'),
  ],
  [
    'secret id shop of role web of apps (approle)',
    secretId('urn:pulumi:prod::login::vault:appRole/x:AuthBackendRoleSecretID::shop'),
  ],
])('%s is how people say it', (words, node) => {
  expect(wordsOf(node)).toBe(words);
});

test('tokens without policies, and of no entity, are named so', () => {
  expect(wordsOf(issuedTokens([]))).toBe('tokens without policies');
});

const pairs: [what: string, isSame: boolean, left: OtherNode, right: OtherNode][] = [
  ['a role in other letters', true, appRole('WEB'), appRole('web')],
  ['an alias of another entity', true, entityAlias('ann', 'p', 'ann'), entityAlias('Ann', 'p', 'eve')],
  ['an alias of another method', false, entityAlias('ann', 'p', 'ann'), entityAlias('ann', 'q', 'ann')],
  ['an alias of another group', true, otherAlias('g', 'p', 'ldap', 'a'), otherAlias('G', 'p', 'ldap', 'b')],
  ['a method of another type', false, otherMethod('p', 'ldap', {}), otherMethod('p', 'okta', {})],
  ['two secret ids of one AppRole', false, secretId('a'), secretId('b')],
  ['two tokens of one display name', false, token('a'), token('b')],
  [
    'a group and an entity of one name',
    false,
    { kind: 'disabling', of: 'group', name: 'x' },
    { kind: 'disabling', of: 'entity', name: 'x' },
  ],
];

test.each(pairs)('%s: the keys are the same: %j', (_, isSame, left, right) => {
  expect(keyOfNode(left) === keyOfNode(right)).toBe(isSame);
});
