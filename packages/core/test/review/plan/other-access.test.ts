import { describe, expect, test } from '@jest/globals';
import { compose, entry, same } from './terraform.ts';

const token = 'role "r" of auth/token (token)';

test.each<[string, object, string, object]>([
  [
    'auth_backend',
    {
      type: 'userpass',
      path: '/u/',
      description: 'd',
      local: true,
      accessor: 'a',
      tune: [{ listing_visibility: 'unauth', max_lease_ttl: '1h', token_type: 'default-service' }],
    },
    'auth/u (userpass)',
    { bounds: { type: 'userpass' }, lifetime: { tune: { max_lease_ttl: '1h' } } },
  ],
  ['auth_backend', { type: 'userpass' }, 'auth/userpass (userpass)', { bounds: { type: 'userpass' } }],
  ['auth_backend', { path: 'x' }, 'auth/x (unknown)', {}],
  [
    'ldap_auth_backend',
    { id: 'i', namespace: null, url: 'l', disable_remount: true, empty: [], no: false, zero: 0 },
    'auth/ldap (ldap)',
    { bounds: { url: 'l' } },
  ],
  [
    'kubernetes_auth_backend_config',
    { backend: '/k/', kubernetes_host: 'h' },
    'configuration of auth/k (kubernetes)',
    { bounds: { kubernetes_host: 'h' } },
  ],
  ['kubernetes_auth_backend_config', {}, 'configuration of auth/kubernetes (kubernetes)', { bounds: {} }],
  [
    'kubernetes_auth_backend_role',
    { role_name: 'r', backend: '/k/', b: ['y', 'x'], token_type: 'batch', token_num_uses: 1 },
    'role "r" of auth/k (kubernetes)',
    { bounds: { b: ['x', 'y'] }, lifetime: { token_type: 'batch', token_num_uses: 1 }, method: 'k' },
  ],
  [
    'approle_auth_backend_role',
    { role_name: 'r', token_policies: ['B', 'a'], policies: ['b'], token_ttl: 5, alias_name_source: 'z' },
    'role "r" of auth/approle (approle)',
    {
      policies: ['b', 'a'],
      bounds: { alias_name_source: 'z' },
      lifetime: { token_ttl: 5 },
      method: 'approle',
    },
  ],
  [
    'ldap_auth_backend_group',
    { groupname: 'g', policies: ['p'], backend: 'l' },
    'group "g" of auth/l (ldap)',
    { policies: ['p'], method: 'l', unites: true },
  ],
  [
    'okta_auth_backend_user',
    { username: 'u', path: 'o', groups: ['g'] },
    'user "u" of auth/o (okta)',
    { bounds: { groups: ['g'] }, method: 'o', unites: true },
  ],
  [
    'okta_auth_backend_group',
    { group_name: 'g', path: 'o' },
    'group "g" of auth/o (okta)',
    { method: 'o', unites: true },
  ],
  ['github_user', { user: 'u', mount: 'h' }, 'user "u" of auth/h (github)', { method: 'h', unites: true }],
  ['github_team', { team: 't' }, 'team "t" of auth/github (github)', { method: 'github', unites: true }],
  ['aws_auth_backend_role', { role: 'r' }, 'role "r" of auth/aws (aws)', { method: 'aws' }],
  [
    'token_auth_backend_role',
    { role_name: 'r', allowed_policies: ['a'] },
    token,
    { policies: ['a'], method: 'token' },
  ],
  ['token_auth_backend_role', { role_name: 'r' }, token, { method: 'token' }],
  [
    'token_auth_backend_role',
    { role_name: 'r', disallowed_policies: ['a'] },
    token,
    { bounds: { disallowed_policies: ['a'] }, method: 'token', isOpaque: true },
  ],
  [
    'token_auth_backend_role',
    { role_name: 'r', allowed_policies: ['a'], allowed_policies_glob: ['*'] },
    token,
    { policies: ['a'], bounds: { allowed_policies_glob: ['*'] }, method: 'token', isOpaque: true },
  ],
  [
    'generic_endpoint',
    { path: '/auth/u/users/bob/', data_json: '{"policies":"P","password":"x"}' },
    'write to auth/u/users/bob',
    { policies: ['p'], bounds: { data: { policies: 'P' }, password: '(hidden 1)' } },
  ],
  [
    'generic_endpoint',
    { path: 'auth/ldap/config', data_json: '{}' },
    'write to auth/ldap/config',
    { effect: 'either', isOpaque: true },
  ],
  [
    'generic_endpoint',
    { path: 'identity/group/name/g', data_json: '{"policies":["p"]}' },
    'write to identity/group/name/g',
    { effect: 'either', policies: ['p'], bounds: { data: { policies: ['p'] } } },
  ],
  [
    'generic_endpoint',
    { path: '/kv/../ns1//auth/x/y', data_json: '[1]' },
    'write to ns1/auth/x/y',
    { effect: 'either', bounds: { data: ['(hidden 1)'] }, isOpaque: true },
  ],
  [
    'generic_secret',
    { path: 'sys/x', data: { a: 'b' } },
    'write to sys/x',
    { effect: 'either', bounds: { data: { a: '(hidden 1)' } }, isOpaque: true },
  ],
  [
    'token',
    {
      display_name: 'ci',
      name: 'n',
      policies: ['P'],
      ttl: '1h',
      renewable: true,
      num_uses: 2,
      no_parent: true,
    },
    'token "ci"',
    { policies: ['p'], lifetime: { ttl: '1h', renewable: true, num_uses: 2 } },
  ],
  ['token', { name: 'n' }, 'token "vault_token.x"', {}],
  [
    'approle_auth_backend_role_secret_id',
    {
      ...{ backend: '/a/', role_name: 'r', secret_id: 's', metadata: '{}', cidr_list: ['10.0.0.0/8'] },
      ...{ wrapping_accessor: 'w', wrapping_token: 't' },
    },
    'secret id of role "r" of auth/a (approle)',
    { bounds: { cidr_list: ['10.0.0.0/8'] } },
  ],
  [
    'quota_lease_count',
    { name: 'q', rate: 5, path: 'a' },
    'quota lease count "q"',
    { effect: 'takes', bounds: { rate: 5, path: 'a' } },
  ],
  ['egp_policy', { rate: 5 }, 'egp policy "vault_egp_policy.x"', { effect: 'takes', bounds: { rate: 5 } }],
  ['identity_mfa_okta', { id: 'i' }, 'identity mfa okta "vault_identity_mfa_okta.x"', { effect: 'takes' }],
])('%s %j gives or takes: %s', (type, after, name, rest) => {
  const { after: found, unknown } = compose([entry(`vault_${type}.x`, { after })]);
  const described = found.otherAccess?.map(({ identity: _, who: __, ...other }) => other);
  const picks = type === 'token_auth_backend_role' && { picks: true };
  expect(described).toEqual([{ name, effect: 'gives', policies: [], bounds: {}, ...picks, ...rest }]);
  expect(unknown).toEqual([]);
});

test('of two configurations of AWS on one mount, each is by itself; of another kind, the mount has one', () => {
  const identities = (type: string) => {
    const { after } = compose([entry(`vault_${type}.x`, { after: { backend: 'm' } })]);
    return after.otherAccess?.map(({ identity }) => identity?.name);
  };
  expect(identities('aws_auth_backend_client')).toEqual(['vault_aws_auth_backend_client.x']);
  expect(identities('kubernetes_auth_backend_config')).toEqual(['m']);
});

test.each<[string, object]>([
  ['kubernetes_auth_backend_role', { backend: 'k' }],
  ['approle_auth_backend_role_secret_id', { backend: 'a' }],
  ['kubernetes_auth_backend_role', { role_name: 'r', backend: null }],
  ['generic_endpoint', { data_json: '{}' }],
  ['identity_entity_alias', { mount_accessor: 'a', canonical_id: 'e' }],
])('%s %j is not known well enough', (type, after) => {
  const after_unknown = Object.hasOwn(after, 'backend') ? { backend: true } : {};
  const { after: found, unknown } = compose([entry(`vault_${type}.x`, { after, after_unknown })]);
  expect([found.otherAccess, unknown]).toEqual([undefined, [{ type: 'other', name: `vault_${type}.x` }]]);
});

describe('a mount of another kind', () => {
  test('may be at a path that is not known', () => {
    const { unknown } = compose([
      entry('vault_auth_backend.x', { after: { type: 't' }, after_unknown: { path: true } }),
    ]);
    expect(unknown).toEqual([{ type: 'other', name: 'vault_auth_backend.x' }]);
  });

  test('may be configured at a path that is not known', () => {
    const { unknown } = compose([
      entry('vault_kubernetes_auth_backend_config.x', { after: {}, after_unknown: { backend: true } }),
    ]);
    expect(unknown).toEqual([{ type: 'other', name: 'vault_kubernetes_auth_backend_config.x' }]);
  });

  test('has groups of its own, by a kind that the plan tells', () => {
    const group = entry('vault_identity_group.g', same({ id: 'g', name: 'g', type: 'external' }));
    const alias = entry('vault_identity_group_alias.a', {
      after: { name: '/g', mount_accessor: 'acc', canonical_id: 'g' },
    });
    const at = (type: string, side: object) => {
      const { after, unknown } = compose([
        entry(`vault_${type}.x`, same({ accessor: 'acc', path: 'x', ...side })),
        group,
        alias,
      ]);
      return [
        after.aliases.length,
        after.otherAccess?.map(({ name }) => name),
        unknown.map(({ field }) => field),
      ];
    };
    const named = (kind: string) => [`auth/x (${kind})`, `alias "/g" of auth/x (${kind}) for group "g"`];
    expect(at('ldap_auth_backend', {})).toEqual([0, named('ldap'), []]);
    expect(at('auth_backend', { type: 'okta' })).toEqual([0, named('okta'), []]);
    expect(at('auth_backend', { type: 'oidc' })).toEqual([1, ['auth/x (oidc)'], []]);
    expect(at('auth_backend', {})).toEqual([1, ['auth/x (unknown)'], ['method']]);
    expect(at('jwt_auth_backend', {})).toEqual([1, undefined, []]);
  });
});
