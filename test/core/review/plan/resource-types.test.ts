import { describe, expect, test } from '@jest/globals';
import {
  isWrittenData,
  judgedAs,
  knownType,
  secretFields,
  terraformName,
} from '../../../../core/review/plan/resource-types.ts';

test.each([
  ['vault:jwt/authBackendRole:AuthBackendRole', 'vault_jwt_auth_backend_role'],
  ['vault:index/policy:Policy', 'vault_policy'],
  ['vault:appRole/authBackendRole:AuthBackendRole', 'vault_approle_auth_backend_role'],
  ['vault:tokenauth/authBackendRole:AuthBackendRole', 'vault_token_auth_backend_role'],
  ['vault:identity/groupMemberEntityIds:GroupMemberEntityIds', 'vault_identity_group_member_entity_ids'],
  ['aws:s3/bucket:Bucket', 'aws:s3/bucket:Bucket'],
  ['vault:Policy', 'vault:Policy'],
])('%s is called %s in Terraform', (pulumi, terraform) => {
  expect(terraformName(pulumi)).toBe(terraform);
});

test.each([
  ['vault_jwt_auth_backend', 'method', 'jwt auth backend'],
  ['vault_jwt_auth_backend_role', 'role', 'jwt auth backend role'],
  ['vault_policy', 'policy', 'policy'],
  ['vault_config_ui_custom_message', 'message', 'config ui custom message'],
  ['vault_auth_backend', 'backend', 'auth backend'],
  ['vault_ldap_auth_backend', 'backend', 'ldap'],
  ['vault_ldap_auth_backend_group', 'way', 'ldap group'],
  ['vault_identity_mfa_login_enforcement', 'guard', 'identity mfa login enforcement'],
  ['vault_mfa_duo', 'guard', 'mfa duo'],
  ['vault_quota_lease_count', 'guard', 'quota lease count'],
  ['vault_generic_secret', 'endpoint', 'generic secret'],
  ['vault_mount', 'inert', 'mount'],
  ['vault_kubernetes_auth_backend_config', 'configuration', 'kubernetes'],
  ['vault_approle_auth_backend_role_secret_id', 'secretId', 'approle auth backend role secret id'],
  ['vault_quota_rate_limit', 'inert', 'quota rate limit'],
  ['vault_pki_secret_backend_role', 'inert', 'pki secret backend role'],
  ['aws_jwt_auth_backend', undefined, undefined],
])('%s is a %s, of %s', (name, type, of) => {
  expect(knownType(name)).toEqual(type && { type, of });
});

test.each<[string, object, object, boolean, string | undefined]>([
  ['vault_mount', { path: 'a' }, { path: 'a', description: 'x' }, false, 'inert'],
  ['vault_mount', { path: 'a' }, { path: 'b' }, false, undefined],
  ['vault_mount', { path: 'a' }, { path: 'a', options: { version: '1' } }, false, 'inert'],
  ['vault_mount', { path: 'a' }, { path: 'a', options: { version: '2' } }, false, undefined],
  ['vault_aws_secret_backend', { path: 'a' }, { path: 'b' }, false, undefined],
  ['vault_nomad_secret_backend', { backend: 'a' }, { backend: 'b' }, false, undefined],
  ['vault_aws_secret_backend', { path: 'a' }, { path: 'b' }, true, 'inert'],
])('%s that goes from %j to %j, deleted: %j, is judged as %s', (name, before, after, isDeleted, type) => {
  const known = knownType(name);
  const sides = [after, before] as Record<string, unknown>[];
  expect(known && judgedAs(known, sides, isDeleted)?.type).toBe(type);
});

describe('a resource of a known type', () => {
  const isFine = (name: string, side: object, isDeleted = false) => {
    const known = knownType(name);
    return (known && judgedAs(known, [side as Record<string, unknown>], isDeleted)?.type) ?? 'none';
  };

  test.each<[string, object, boolean, string]>([
    ['vault_policy', {}, false, 'policy'],
    ['vault_mount', { path: 'x' }, false, 'inert'],
    ['vault_mount', { path: 'x' }, true, 'none'],
    ['vault_namespace', { path: 'x' }, true, 'none'],
    ['vault_audit', { path: 'x' }, true, 'inert'],
    ['vault_kv_secret', { path: 'kv/x' }, true, 'inert'],
    ['vault_kv_secret', { path: 'sys/x' }, false, 'none'],
    ['vault_kv_secret', { path: 'kv/../auth/x' }, false, 'none'],
    ['vault_kv_secret_v2', { mount: 'identity' }, true, 'none'],
    ['vault_kv_secret_v2', { mount: 'secret' }, true, 'inert'],
    ['vault_kv_secret_v2', { mount: 5 }, true, 'inert'],
    ['vault_generic_secret', { path: 'secret/x' }, false, 'inert'],
    ['vault_generic_secret', { path: '/auth/x' }, false, 'endpoint'],
    ['vault_generic_secret', { path: 'authentic/x' }, false, 'inert'],
    ['vault_generic_secret', { path: 'team/sys/x' }, false, 'none'],
    ['vault_generic_secret', {}, false, 'endpoint'],
    ['vault_generic_endpoint', { path: 'pki/config/urls' }, false, 'inert'],
    ['vault_generic_endpoint', { path: 'pki/../sys/x' }, false, 'endpoint'],
    ['vault_generic_endpoint', { path: 'team/sys/x' }, false, 'endpoint'],
  ])('%s %j, deleted: %j', (name, side, isDeleted, is) => {
    expect(isFine(name, side, isDeleted)).toBe(is);
  });
});

test('what holds credentials, and what is written data', () => {
  const secrets = [
    'oidc_client_secret',
    'password',
    'bindpass',
    'secret',
    'token',
    'api_token',
    'client_secret',
  ];
  expect([...secretFields]).toEqual([...secrets, 'secret_key'].flatMap((name) => [name, `${name}_wo`]));
  const written = ['data', 'data_json', 'write_data', 'write_data_json', 'path', 'my_data'];
  expect(written.map((field) => isWrittenData('endpoint', field))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(isWrittenData('role', 'data')).toBe(false);
});
