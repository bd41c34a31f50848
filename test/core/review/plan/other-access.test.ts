import { describe, expect, test } from '@jest/globals';
import { compose, entry, same } from './terraform.ts';

const made = (type: string, after: object) => compose([entry(`vault_${type}.x`, { after })]);
const policies: string[] = [];
const [gives, takes, bounds] = [{ effect: 'gives', policies }, { effect: 'takes', policies }, {}];

test.each<[string, object, object[]]>([
  [
    'auth_backend',
    { type: 'userpass', path: '/u/', description: 'd', local: true, accessor: 'a', tune: [{ x: 1 }] },
    [{ name: 'auth/u (userpass)', ...gives, bounds: { type: 'userpass' }, lifetime: { tune: [{ x: 1 }] } }],
  ],
  [
    'auth_backend',
    { type: 'userpass' },
    [{ name: 'auth/userpass (userpass)', ...gives, bounds: { type: 'userpass' } }],
  ],
  ['auth_backend', { path: 'x' }, [{ name: 'auth/x (unknown)', ...gives, bounds }]],
  [
    'ldap_auth_backend',
    { id: 'i', namespace: null, url: 'l', disable_remount: true, empty: [], no: false, zero: 0 },
    [{ name: 'auth/ldap (ldap)', ...gives, bounds: { url: 'l' } }],
  ],
  [
    'kubernetes_auth_backend_role',
    {
      role_name: 'r',
      backend: '/k/',
      b: ['y', 'x'],
      alias_name_source: 'z',
      token_type: 'batch',
      token_num_uses: 1,
    },
    [
      {
        name: 'role "r" of auth/k (kubernetes)',
        ...gives,
        bounds: { b: ['x', 'y'], alias_name_source: 'z' },
        lifetime: { token_type: 'batch', token_num_uses: 1 },
        method: 'k',
      },
    ],
  ],
  [
    'approle_auth_backend_role',
    { role_name: 'r', token_policies: ['B', 'a'], policies: ['b'], token_ttl: 5, secret_id_ttl: 6 },
    [
      {
        name: 'role "r" of auth/approle (approle)',
        effect: 'gives',
        policies: ['b', 'a'],
        bounds,
        lifetime: { token_ttl: 5, secret_id_ttl: 6 },
        method: 'approle',
      },
    ],
  ],
  [
    'ldap_auth_backend_group',
    { groupname: 'g', policies: ['p'], backend: 'l' },
    [
      {
        name: 'group "g" of auth/l (ldap)',
        effect: 'gives',
        policies: ['p'],
        bounds,
        method: 'l',
        unites: true,
      },
    ],
  ],
  [
    'okta_auth_backend_user',
    { username: 'u', path: 'o', groups: ['g'] },
    [{ name: 'user "u" of auth/o (okta)', ...gives, bounds: { groups: ['g'] }, method: 'o', unites: true }],
  ],
  [
    'okta_auth_backend_group',
    { group_name: 'g', path: 'o' },
    [{ name: 'group "g" of auth/o (okta)', ...gives, bounds, method: 'o', unites: true }],
  ],
  [
    'github_user',
    { user: 'u', mount: 'h' },
    [{ name: 'user "u" of auth/h (github)', ...gives, bounds, method: 'h', unites: true }],
  ],
  [
    'aws_auth_backend_role',
    { role: 'r' },
    [{ name: 'role "r" of auth/aws (aws)', ...gives, bounds, method: 'aws' }],
  ],
  [
    'token_auth_backend_role',
    { role_name: 'r', allowed_policies: ['a'] },
    [{ name: 'role "r" of auth/token (token)', effect: 'gives', policies: ['a'], bounds, method: 'token' }],
  ],
  [
    'token_auth_backend_role',
    { role_name: 'r' },
    [{ name: 'role "r" of auth/token (token)', ...gives, bounds, method: 'token', isOpaque: true }],
  ],
  [
    'token_auth_backend_role',
    { role_name: 'r', allowed_policies: ['a'], allowed_policies_glob: ['*'] },
    [
      {
        name: 'role "r" of auth/token (token)',
        effect: 'gives',
        policies: ['a'],
        bounds: { allowed_policies_glob: ['*'] },
        method: 'token',
        isOpaque: true,
      },
    ],
  ],
  [
    'generic_endpoint',
    { path: '/auth/u/users/bob/', data_json: '{"policies":"P","password":"x"}' },
    [
      {
        name: 'write to auth/u/users/bob',
        effect: 'gives',
        policies: ['p'],
        bounds: { data: { policies: 'P', password: '(hidden 1)' } },
      },
    ],
  ],
  [
    'generic_endpoint',
    { path: 'auth/ldap/config', data_json: '{}' },
    [{ name: 'write to auth/ldap/config', effect: 'either', policies, bounds, isOpaque: true }],
  ],
  [
    'generic_endpoint',
    { path: 'identity/group/name/g', data_json: '{"policies":["p"]}' },
    [
      {
        name: 'write to identity/group/name/g',
        effect: 'either',
        policies: ['p'],
        bounds: { data: { policies: ['p'] } },
      },
    ],
  ],
  [
    'generic_endpoint',
    { path: 'kv/auth/x', data_json: '[1]' },
    [{ name: 'write to kv/auth/x', effect: 'either', policies, bounds: { data: ['(hidden 1)'] } }],
  ],
  [
    'generic_secret',
    { path: 'sys/x', data: { a: 'b' } },
    [
      {
        name: 'write to sys/x',
        effect: 'either',
        policies,
        bounds: { data: { a: '(hidden 1)' } },
        isOpaque: true,
      },
    ],
  ],
  [
    'token',
    { display_name: 'ci', policies: ['P'], ttl: '1h', renewable: true, num_uses: 2, no_parent: true },
    [
      {
        name: 'token "ci"',
        effect: 'gives',
        policies: ['p'],
        bounds,
        lifetime: { ttl: '1h', renewable: true, num_uses: 2 },
      },
    ],
  ],
  ['token', {}, [{ name: 'token "vault_token.x"', ...gives, bounds }]],
  [
    'quota_rate_limit',
    { name: 'q', rate: 5, path: 'a' },
    [{ name: 'quota rate limit "q"', ...takes, bounds: { rate: 5, path: 'a' } }],
  ],
  ['egp_policy', { rate: 5 }, [{ name: 'egp policy "vault_egp_policy.x"', ...takes, bounds: { rate: 5 } }]],
  [
    'identity_mfa_okta',
    { id: 'i' },
    [{ name: 'identity mfa okta "vault_identity_mfa_okta.x"', ...takes, bounds }],
  ],
])('%s %j gives or takes', (type, after, others) => {
  const { after: found, unknown } = made(type, after);
  expect([found.others, unknown]).toEqual([others, []]);
});

test.each<[string, object]>([
  ['kubernetes_auth_backend_role', { backend: 'k' }],
  ['kubernetes_auth_backend_role', { role_name: 'r', backend: null }],
  ['generic_endpoint', { data_json: '{}' }],
  ['identity_entity_alias', { mount_accessor: 'a', canonical_id: 'e' }],
])('%s %j is not known well enough', (type, after) => {
  const after_unknown = Object.hasOwn(after, 'backend') ? { backend: true } : {};
  const { after: found, unknown } = compose([entry(`vault_${type}.x`, { after, after_unknown })]);
  expect([found.others, unknown]).toEqual([undefined, [{ type: 'other', name: `vault_${type}.x` }]]);
});

describe('a mount of another kind', () => {
  test('may be at a path that is not known', () => {
    const { unknown } = compose([
      entry('vault_auth_backend.x', { after: { type: 't' }, after_unknown: { path: true } }),
    ]);
    expect(unknown).toEqual([{ type: 'other', name: 'vault_auth_backend.x' }]);
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
      return [after.aliases.length, after.others?.map(({ name }) => name), unknown.map(({ field }) => field)];
    };
    const named = (kind: string) => [`auth/x (${kind})`, `alias "/g" of auth/x (${kind}) for group "g"`];
    expect(at('ldap_auth_backend', {})).toEqual([0, named('ldap'), []]);
    expect(at('auth_backend', { type: 'okta' })).toEqual([0, named('okta'), []]);
    expect(at('auth_backend', { type: 'oidc' })).toEqual([1, ['auth/x (oidc)'], ['method']]);
    expect(at('auth_backend', {})).toEqual([1, ['auth/x (unknown)'], ['method']]);
    expect(at('jwt_auth_backend', {})).toEqual([1, undefined, []]);
  });
});
