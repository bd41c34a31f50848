import { describe, expect, test } from '@jest/globals';
import { GraphIndex } from '../../../src/access/graph-index.ts';
import { emptyGraph } from '../../../src/graph/graph.ts';
import {
  boundsOfNode,
  effectOf,
  identityOf,
  isOpaque,
  keyOfNode,
  lifetimeOfNode,
  metadataOfNode,
  type OtherNode,
  picks,
  policiesOfNode,
  wordsOf,
} from '../../../src/graph/nodes/other-node.ts';
import { defined } from '../../../src/graph/values/loose-values.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { entries } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { compose, terraform, unknownIn } from './terraform.ts';

const token = 'token role r';
const ofToken = { method: 'token', picks: true };

/** All that is asked of a node, where it is not nothing. */
function described(node: OtherNode) {
  return defined({
    name: wordsOf(node),
    effect: effectOf(node),
    policies: policiesOfNode(node),
    bounds: boundsOfNode(node),
    lifetime: lifetimeOfNode(node),
    method: node.kind === 'otherRole' ? node.method : undefined,
    unites: new GraphIndex({ ...emptyGraph(), others: [node] }).isUnited(keyOfNode(node)) || undefined,
    picks: picks(node) || undefined,
    isOpaque: isOpaque(node) || undefined,
  });
}

test.each<[resource: string, name: string, rest: object]>([
  [
    'auth_backend.x type: userpass, path: /u/, description: d, local: true, accessor: a, tune: [{listing_visibility: unauth, max_lease_ttl: 1h, token_type: default-service}]',
    'method u (userpass)',
    { bounds: { type: 'userpass' }, lifetime: { tune: { max_lease_ttl: '1h' } } },
  ],
  ['auth_backend.x type: userpass', 'method userpass', { bounds: { type: 'userpass' } }],
  ['auth_backend.x path: x', 'method x (unknown)', {}],
  [
    'ldap_auth_backend.x id: i, namespace: null, url: l, disable_remount: true, empty: [], no: false, zero: 0',
    'method ldap',
    { bounds: { url: 'l' } },
  ],
  [
    'kubernetes_auth_backend_config.x backend: /k/, kubernetes_host: h',
    'configuration of method k (kubernetes)',
    { bounds: { kubernetes_host: 'h' } },
  ],
  ['kubernetes_auth_backend_config.x', 'configuration of method kubernetes', {}],
  [
    'kubernetes_auth_backend_role.x role_name: r, backend: /k/, b: [y, x], token_type: batch, token_num_uses: 1',
    'role r of k (kubernetes)',
    { bounds: { b: ['x', 'y'] }, lifetime: { token_type: 'batch', token_num_uses: 1 }, method: 'k' },
  ],
  [
    'approle_auth_backend_role.x role_name: r, token_policies: [B, a], policies: [b], token_ttl: 5, alias_name_source: z',
    'role r of approle',
    {
      policies: ['b', 'a'],
      bounds: { alias_name_source: 'z' },
      lifetime: { token_ttl: 5 },
      method: 'approle',
    },
  ],
  [
    'ldap_auth_backend_group.x groupname: g, policies: [p], backend: l',
    'group g of l (ldap)',
    { policies: ['p'], method: 'l', unites: true },
  ],
  [
    'okta_auth_backend_user.x username: u, path: o, groups: [g]',
    'user u of o (okta)',
    { bounds: { groups: ['g'] }, method: 'o', unites: true },
  ],
  ['okta_auth_backend_group.x group_name: g, path: o', 'group g of o (okta)', { method: 'o', unites: true }],
  ['github_user.x user: u, mount: h', 'user u of h (github)', { method: 'h', unites: true }],
  ['github_team.x team: t', 'team t of github', { method: 'github', unites: true }],
  ['aws_auth_backend_role.x role: r', 'role r of aws', { method: 'aws' }],
  ['token_auth_backend_role.x role_name: r, allowed_policies: [a]', token, { policies: ['a'], ...ofToken }],
  ['token_auth_backend_role.x role_name: r', token, ofToken],
  [
    'token_auth_backend_role.x role_name: r, disallowed_policies: [a]',
    token,
    { bounds: { disallowed_policies: ['a'] }, isOpaque: true, ...ofToken },
  ],
  [
    "token_auth_backend_role.x role_name: r, allowed_policies: [a], allowed_policies_glob: ['*']",
    token,
    { policies: ['a'], bounds: { allowed_policies_glob: ['*'] }, isOpaque: true, ...ofToken },
  ],
  [
    `generic_endpoint.x path: /auth/u/users/bob/, data_json: '{"policies":"P","password":"x"}'`,
    'write to auth/u/users/bob',
    { policies: ['p'], bounds: { data: { policies: 'P' }, password: '(hidden 1)' } },
  ],
  [
    "generic_endpoint.x path: auth/ldap/config, data_json: '{}'",
    'write to auth/ldap/config',
    { effect: 'either', isOpaque: true },
  ],
  [
    `generic_endpoint.x path: identity/group/name/g, data_json: '{"policies":["p"]}'`,
    'write to identity/group/name/g',
    { effect: 'either', policies: ['p'], bounds: { data: { policies: ['p'] } } },
  ],
  [
    "generic_endpoint.x path: /kv/../ns1//auth/x/y, data_json: '[1]'",
    'write to ns1/auth/x/y',
    { effect: 'either', bounds: { data: ['(hidden 1)'] }, isOpaque: true },
  ],
  [
    'generic_secret.x path: sys/x, data: {a: b}',
    'write to sys/x',
    { effect: 'either', bounds: { data: { a: '(hidden 1)' } }, isOpaque: true },
  ],
  [
    'token.x display_name: ci, name: n, policies: [P], ttl: 1h, renewable: true, num_uses: 2, no_parent: true',
    'token "ci"',
    { policies: ['p'], lifetime: { ttl: '1h', renewable: true, num_uses: 2 } },
  ],
  ['token.x name: n', 'token "vault_token.x"', {}],
  [
    "approle_auth_backend_role_secret_id.x backend: /a/, role_name: r, secret_id: s, metadata: '{}', cidr_list: [10.0.0.0/8], wrapping_accessor: w, wrapping_token: t",
    'secret id x of role r of a (approle)',
    { bounds: { cidr_list: ['10.0.0.0/8'] } },
  ],
  [
    'quota_lease_count.x name: q, rate: 5, path: a',
    'quota lease count "q"',
    { effect: 'takes', bounds: { rate: 5, path: 'a' } },
  ],
  ['egp_policy.x rate: 5', 'egp policy "vault_egp_policy.x"', { effect: 'takes', bounds: { rate: 5 } }],
  ['identity_mfa_okta.x id: i', 'identity mfa okta "vault_identity_mfa_okta.x"', { effect: 'takes' }],
])('%s gives or takes: %s', (resource, name, rest) => {
  const { after, unknown } = compose(`+ ${resource}`);
  expect(after.others?.map(described)).toEqual([
    { name, effect: 'gives', policies: [], bounds: {}, ...rest },
  ]);
  expect(unknown).toEqual([]);
});

test.each([
  ['aws_auth_backend_client.x', 'client configuration of method m (aws)'],
  ['aws_auth_backend_config_identity.x', 'identity configuration of method m (aws)'],
  ["aws_auth_backend_sts_role.x account_id: '1234'", 'sts role configuration 1234 of method m (aws)'],
  ['aws_auth_backend_cert.x cert_name: c', 'cert configuration c of method m (aws)'],
  ['kubernetes_auth_backend_config.x', 'configuration of method m (kubernetes)'],
])('a configuration is told apart by what it configures, not by its address: %s', (resource, name) => {
  const [type = '', ...fields] = resource.split('.x');
  const named = (address: string) =>
    `${type}.${address} ${[fields.join(''), 'backend: m'].filter((one) => one !== '').join(', ')}`;
  const renamed = compose(`- ${named('x')}\n+ ${named('y')}`);
  const identities = [renamed.before, renamed.after].map(({ others }) => others?.map(identityOf));
  expect(renamed.after.others?.map(wordsOf)).toEqual([name]);
  expect(identities[1]).toEqual(identities[0]);
});

test.each([
  ['secret ids of one AppRole', 'approle_auth_backend_role_secret_id', 'role_name: web'],
  ['tokens of one name', 'token', 'display_name: ci'],
])('two %s both stand in a review', (_, type, fields) => {
  const plan = entries(`+ ${type}.a ${fields}\n + ${type}.b ${fields}`);
  const { access, findings } = review(readPlan(terraform(plan)), { now });
  const warnings = findings.filter(({ rule }) => rule === 'credential-made');
  expect([access.length, warnings.length]).toEqual([2, 2]);
});

test('two secret ids of one AppRole have names of their own', () => {
  const of = 'role_name: web';
  const secretId = 'approle_auth_backend_role_secret_id';
  const { access } = review(readPlan(terraform(entries(`+ ${secretId}.a ${of}\n + ${secretId}.b ${of}`))), {
    now,
  });
  expect(access.map(({ principals }) => principals.name)).toEqual([
    'secret id a of role web of approle',
    'secret id b of role web of approle',
  ]);
});

test.each([
  'kubernetes_auth_backend_role.x backend?',
  'approle_auth_backend_role_secret_id.x backend?',
  'kubernetes_auth_backend_role.x role_name: r, backend?',
  "generic_endpoint.x data_json: '{}'",
  'identity_entity_alias.x mount_accessor: a, canonical_id: e',
])('%s is not known well enough', (resource) => {
  const found = compose(`+ ${resource}`);
  expect([found.after.others, unknownIn(found)]).toEqual([
    undefined,
    [`other vault_${resource.split(' ')[0]}`],
  ]);
});

describe('a mount of another kind', () => {
  test.each([
    ['at', 'auth_backend.x type: t, path?'],
    ['configured at', 'kubernetes_auth_backend_config.x backend?'],
  ])('may be %s a path that is not known', (_, resource) => {
    expect(unknownIn(compose(`+ ${resource}`))).toEqual([`other vault_${resource.split(' ')[0]}`]);
  });

  const named = (kind: string) => [`method x (${kind})`, `alias /g of x (${kind}) for group g`];
  test.each([
    ['ldap_auth_backend.x', 0, named('ldap'), []],
    ['auth_backend.x type: okta,', 0, named('okta'), []],
    ['auth_backend.x type: oidc,', 1, ['method x (oidc)'], []],
    ['auth_backend.x', 1, ['method x (unknown)'], ['method']],
    ['jwt_auth_backend.x', 1, undefined, []],
  ])('has groups of its own, by a kind that the plan tells: %s', (mount, aliases, names, fields) => {
    const { after, unknown } = compose(`${mount} accessor: acc-x, path: x\n group g\n + alias /g x g`);
    expect([after.aliases.length, after.others?.map(wordsOf)]).toEqual([aliases, names]);
    expect(unknown.map(({ field }) => field)).toEqual(fields);
  });
});

test('metadata that a sign-in is noted with is apart from what decides who signs in', () => {
  const { before, after } = compose(
    '~ gcp_auth_backend.x iam_metadata: [a], gce_metadata: [b] → iam_metadata: [c]\n+ kubernetes_auth_backend_role.r role_name: r, alias_metadata: {team: shop}',
  );
  const metadataIn = (graph: typeof after) =>
    graph.others?.map((node) => ({ bounds: boundsOfNode(node), metadata: metadataOfNode(node) }));
  expect(metadataIn(before)).toEqual([
    { bounds: {}, metadata: { '': '{"gce_metadata":["b"],"iam_metadata":["a"]}' } },
  ]);
  expect(metadataIn(after)).toEqual([
    { bounds: {}, metadata: { '': '{"gce_metadata":["b"],"iam_metadata":["c"]}' } },
    { bounds: {}, metadata: { team: 'shop' } },
  ]);
});
