import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { describeWithOpenBao } from '../../../openbao.ts';
import { AuthService, type Call } from './auth-service.ts';

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const jwt_validation_pubkeys = [(key.export({ type: 'spki', format: 'pem' }) as string).trim()];
const jwt = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'] };
const oidc = { user_claim: 'sub', allowed_redirect_uris: ['http://localhost:8250/oidc/callback'] };

const update = (path: string, body: object): Call => ({ operation: 'update', path, body });
const read = (path: string): Call => ({ operation: 'read', path });
const config = (body: object) => update('auth/w/config', { jwt_validation_pubkeys, ...body });
const role = (body: object) => update('auth/w/role/e', body);
/** A write of a role, and what can be read of it then. */
const roleThenRead = (name: string, body: object) => [
  update(`auth/w/role/${name}`, body),
  read(`auth/w/role/${name.toLowerCase()}`),
];

// In this order, on both. openbao/openbao builtin/credential/jwt/path_config.go, path_role.go; vault/logical_system.go.
const calls: Call[] = [
  update('sys/auth/staff', {
    type: 'oidc',
    description: 'd',
    config: { default_lease_ttl: '1h', listing_visibility: 'unauth' },
  }),
  update('sys/auth/staff', { type: 'oidc' }),
  update('sys/auth/w', { type: 'jwt' }),
  update('sys/auth/w/below', { type: 'jwt' }),
  update('sys/auth/deep/er/path', { type: 'jwt' }),
  update('sys/auth/deep/er', { type: 'jwt' }),
  update('sys/auth/x', { type: 'nope' }),
  update('sys/auth/x', {}),
  update('sys/auth/token', { type: 'jwt' }),
  read('sys/auth/nope'),
  read('sys/mounts/auth/staff/tune'),
  read('sys/auth/staff/tune'),
  update('sys/mounts/auth/staff/tune', { default_lease_ttl: '2h', max_lease_ttl: 3600 }),
  update('sys/mounts/auth/staff/tune', {
    default_lease_ttl: '2h',
    max_lease_ttl: '4h',
    token_type: 'batch',
    description: 'new',
    audit_non_hmac_request_keys: 'a,b',
  }),
  read('sys/mounts/auth/staff/tune'),
  update('sys/mounts/auth/nope/tune', { default_lease_ttl: '2h' }),
  read('sys/mounts/auth/nope/tune'),
  update('sys/mounts/auth/staff/tune', { token_type: 'zz' }),
  update('sys/mounts/auth/staff/tune', { listing_visibility: 'zz' }),
  { operation: 'delete', path: 'sys/auth/nope' },
  { operation: 'delete', path: 'sys/auth/token' },
  update('sys/remount', { from: 'auth/nope', to: 'auth/moved' }),
  update('sys/remount', { from: 'auth/staff', to: 'auth/w' }),
  update('sys/remount', { from: 'auth/staff', to: 'elsewhere' }),
  update('sys/remount', { from: 'auth/token', to: 'auth/tok' }),
  update('sys/remount', {}),
  read('sys/remount/status/none'),
  read('auth/w/config'),
  { operation: 'list', path: 'auth/w/role' },
  read('auth/w/role/none'),
  { operation: 'delete', path: 'auth/w/role/none' },
  update('auth/w/login', { role: 'x', jwt: 'y' }),
  update('auth/w/oidc/auth_url', {}),
  update('auth/w/config', {}),
  update('auth/w/config', { jwt_validation_pubkeys: 'junk' }),
  config({ jwks_url: 'http://127.0.0.1:1/' }),
  config({ jwt_supported_algs: 'none' }),
  config({ jwt_supported_algs: ['HS256'] }),
  config({ oidc_response_mode: 'x' }),
  config({ oidc_response_types: 'x,code' }),
  config({ oidc_response_types: 'id_token' }),
  config({ oidc_client_id: 'x' }),
  config({ oidc_client_secret: 'x' }),
  config({ oidc_client_id: 'x', oidc_client_secret: 'y' }),
  config({ provider_config: { a: 1 } }),
  config({ provider_config: { provider: 'nope' } }),
  config({ bound_issuer: [1] }),
  read('auth/w/config'),
  config({
    default_role: 'MiXed',
    bound_issuer: 'i',
    jwt_supported_algs: 'RS256, ES256',
    namespace_in_state: false,
  }),
  read('auth/w/config'),
  config({ provider_config: { provider: 'azure' } }),
  read('auth/w/config'),
  update('auth/w/config', { jwks_url: 'http://127.0.0.1:1/', jwks_ca_pem: 'junk' }),
  update('auth/w/login', {}),
  update('auth/w/login', { role: 'NoNe' }),
  update('auth/w/oidc/auth_url', { role: 'none' }),
  role({}),
  role({ user_claim: 'sub' }),
  role({ ...jwt, role_type: 'x' }),
  role({ user_claim: 'sub', role_type: 'jwt' }),
  role({ role_type: 'jwt', bound_audiences: 'a' }),
  role({ ...jwt, bound_claims_type: 'x' }),
  role({ ...jwt, bound_claims_type: 'glob', bound_claims: { a: 1 } }),
  role({ ...jwt, bound_claims_type: 'glob', bound_claims: { a: { c: [true, 'x'], b: 1 } } }),
  role({ ...jwt, claim_mappings: { a: 'role' } }),
  role({ ...jwt, claim_mappings: { a: 'x', b: 'x' } }),
  role({ ...jwt, token_ttl: '2h', token_max_ttl: '1h' }),
  role({ ...jwt, ttl: '2h', max_ttl: '1h' }),
  role({ ...jwt, token_ttl: 'zz' }),
  role({ ...jwt, token_ttl: -5 }),
  role({ ...jwt, token_bound_cidrs: 'zz' }),
  role({ ...jwt, token_type: 'zz' }),
  role({ ...jwt, token_type: 'batch', token_num_uses: 3 }),
  role({ ...jwt, token_num_uses: -5 }),
  role({ ...jwt, token_period: '9999h' }),
  role({ ...jwt, callback_mode: 'x' }),
  role({ ...jwt, verbose_oidc_logging: true, token_max_ttl: '99999h' }),
  read('auth/w/role/e'),
  ...roleThenRead('R1', { ...jwt, bound_audiences: 'a, b', ttl: '1h', policies: 'P1,default,p1' }),
  ...roleThenRead('r1', { ...jwt, token_ttl: '2h' }),
  ...roleThenRead('r1', { ...jwt, ttl: '1h', token_ttl: '3h' }),
  ...roleThenRead('r2', {
    ...jwt,
    token_policies: ['b', 'a', 'a'],
    token_bound_cidrs: '127.0.0.1/8',
    token_type: 'batch',
  }),
  ...roleThenRead('r2', { ...jwt, bound_claims: { x: 1.5, y: [true, 'a', 2] }, claim_mappings: ['a=b'] }),
  ...roleThenRead('r2', {
    user_claim: 5,
    role_type: 'jwt',
    bound_audiences: [1, 'x'],
    expiration_leeway: '-5s',
    max_age: '1h',
  }),
  ...roleThenRead('r2', { role_type: 'jwt', bound_claims: {}, bound_audiences: [], bound_subject: 's' }),
  ...roleThenRead('r3', { ...oidc, oidc_scopes: 'a,b', bound_claims_type: 'glob', bound_claims: { a: '*' } }),
  ...roleThenRead('r3', {
    groups_claim: 'groups',
    token_no_default_policy: true,
    token_explicit_max_ttl: '1h30m',
  }),
  { operation: 'list', path: 'auth/w/role' },
  update('auth/w/login', { role: 'r3', jwt: 'x' }),
  update('auth/w/login', { role: 'r1' }),
  update('auth/w/oidc/auth_url', { role: 'r3', redirect_uri: 'http://localhost/' }),
  { operation: 'delete', path: 'auth/w/role/r1' },
  read('auth/w/role/r1'),
];

/** What OpenBao has beyond facts/jwt-oidc.md, what changes with every run, and what is ours alone. */
const left = [
  'callback_mode',
  'oauth2_metadata',
  'oidc_disable_confirmation',
  'override_allowed_server_names',
  'jwks_pairs',
  'token_policies_template_claims',
  'token_strictly_bind_ip',
];

describeWithOpenBao('auth methods answer as OpenBao does', (server) => {
  const ours = new AuthService();

  async function real({ operation, path, body }: Call) {
    const method = { read: 'GET', update: 'POST', delete: 'DELETE', list: 'LIST' }[operation];
    const response = await fetch(`${server().address}/v1/${path}${method === 'LIST' ? '?list=true' : ''}`, {
      method: method === 'LIST' ? 'GET' : method,
      headers: { 'X-Vault-Token': server().token },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const answer = text === '' ? {} : (JSON.parse(text) as any);
    return { status: response.status, ...answer };
  }

  /** Wrappings of texts around the same reason, and lists that are null or empty, are no difference. */
  function comparable({ status, data, errors, warnings }: any) {
    const plain = (text: string) =>
      text
        .replace(/^Field validation failed: /, '')
        .replace(/^error converting input for field "\w+": (?=time)/, '');
    const fields = Object.entries(data ?? {}).filter(([name]) => !left.includes(name));
    return {
      status,
      data: Object.fromEntries(fields),
      errors: (errors ?? []).map(plain),
      warnings: warnings ?? [],
    };
  }

  test.each(
    calls.map(
      (call) =>
        [`${call.operation} ${call.path} ${JSON.stringify(call.body ?? '').slice(0, 200)}`, call] as const,
    ),
  )('%s', async (_, call) => {
    expect(comparable(await ours.call(call))).toEqual(comparable(await real(call)));
  });
});
