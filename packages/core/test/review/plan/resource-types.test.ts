import { expect, test } from '@jest/globals';
import {
  isWrittenData,
  judgedAs,
  knownType,
  secretFields,
  terraformName,
} from '../../../src/review/plan/resource-types.ts';

test.each([
  ['vault:jwt/authBackendRole:AuthBackendRole', 'vault_jwt_auth_backend_role'],
  ['vault:index/policy:Policy', 'vault_policy'],
  ['vault:appRole/authBackendRole:AuthBackendRole', 'vault_approle_auth_backend_role'],
  ['vault:tokenauth/authBackendRole:AuthBackendRole', 'vault_token_auth_backend_role'],
  ['vault:identity/groupMemberEntityIds:GroupMemberEntityIds', 'vault_identity_group_member_entity_ids'],
  ['vault:azure/backendRole:BackendRole', 'vault_azure_secret_backend_role'],
  ['vault:terraformcloud/secretRole:SecretRole', 'vault_terraform_cloud_secret_role'],
  ['vault:pkiSecret/backendConfigAcme:BackendConfigAcme', 'vault_pki_secret_backend_config_acme'],
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
  ['vault_ldap_auth_backend_group', 'otherRole', 'ldap group'],
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
  ['vault_kv_secret', { path: 'a' }, { path: 'b' }, false, 'inert'],
])('%s that goes from %j to %j, deleted: %j, is judged as %s', (name, before, after, isDeleted, type) => {
  const sides = [after, before] as Record<string, unknown>[];
  expect(judgedAs(name, sides, isDeleted).known?.type).toBe(type);
});

test.each<[string, object, boolean, string]>([
  ['vault_policy', {}, false, 'policy'],
  ['vault_mount', { path: 'x' }, false, 'inert'],
  ['vault_mount', { path: 'x' }, true, 'none'],
  ['vault_namespace', { path: 'x' }, true, 'none'],
  ['vault_audit', { path: 'x' }, true, 'inert'],
  ['vault_kv_secret', { path: 'kv/x' }, true, 'inert'],
  ['vault_generic_secret', { path: 'secret/x' }, false, 'endpoint'],
])('%s %j, deleted: %j, is %s', (name, side, isDeleted, is) => {
  expect(judgedAs(name, [side as Record<string, unknown>], isDeleted).known?.type ?? 'none').toBe(is);
});

test('what holds credentials, and what is written data', () => {
  const secrets = [
    'oidc_client_secret',
    'password',
    'password_hash',
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
