import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startSecretsService } from '../../packages/secrets-service/src/server.ts';
import { isIn } from '../harness/long-run.ts';
import { MemoryStorage } from '../harness/memory-storage.ts';
import { rawHttp, statusesOf } from '../harness/raw-http.ts';
import { started } from '../harness/started.ts';
import { enableJwt } from './jwt-methods.ts';

const seed = Number(process.env['GATEHOUSE_SEED'] ?? 20_261_121);

const logged: string[] = [];
const server = started(() =>
  startSecretsService({
    storage: new MemoryStorage(),
    rootToken: 'root',
    log: (message) => logged.push(message),
  }),
);
beforeAll(async () => {
  await enableJwt({ ...server(), token: 'root' }, { path: 'jwt' });
});

const message = { title: 't', message: 'YQ==', start_time: '2026-12-01T00:00:00Z', type: 'modal' };
const bound = { user_claim: 'sub', bound_audiences: ['a'], bound_subject: 's' };
const role = { ...bound, role_type: 'jwt', token_ttl: '1h' };
const globs = { bound_claims_type: 'glob', policies: 'p', ttl: '1h', token_bound_cidrs: 'x' };
const alias = { name: 'a', mount_accessor: 'x', canonical_id: 'y' };
const keys = { jwt_validation_pubkeys: ['x'], bound_issuer: 'i', provider_config: { provider: 'x' } };
const pairs = { jwks_pairs: [{ jwks_url: 'ftp://x' }], jwt_supported_algs: ['RS256'], default_role: 'r' };
const token = { policies: ['p'], ttl: '1h', type: 'service', num_uses: 3, meta: { a: 'b' }, period: 0 };
const group = { name: 'g', type: 'external', policies: ['p'], metadata: { a: 'b' } };
/** Paths, and a body that each takes: what is asked is that body with some of its fields spoilt. */
const known: [path: string, body: object][] = [
  ['auth/token/create', { ...token, explicit_max_ttl: '2h', bound_cidrs: ['10.0.0.0/8'], display_name: 'd' }],
  ['auth/token/create-orphan', { ...token, id: 'own', no_parent: true, renewable: 'true' }],
  ['auth/token/lookup', { token: 'x' }],
  ['auth/token/renew', { token: 'x', increment: '1h' }],
  ['auth/token/renew-self', { increment: 3600 }],
  ['auth/token/revoke', { token: 'x' }],
  ['auth/token/revoke-orphan', { token: 'x' }],
  ['auth/token/lookup-accessor', { accessor: 'x' }],
  ['auth/token/accessors', {}],
  ['auth/jwt/config', keys],
  ['auth/jwt/config', pairs],
  ['auth/jwt/role/r', { ...role, bound_claims: { a: 'b' }, claim_mappings: { a: 'b' }, groups_claim: 'g' }],
  ['auth/jwt/role/r', { ...role, ...globs }],
  ['auth/jwt/role/o', { user_claim: 'sub', allowed_redirect_uris: ['http://localhost/'], max_age: '1h' }],
  ['auth/jwt/login', { role: 'r', jwt: 'a.b.c' }],
  ['auth/jwt/oidc/auth_url', { role: 'o', redirect_uri: 'http://localhost/', client_nonce: 'n' }],
  ['auth/jwt/oidc/callback', { state: 's', code: 'c' }],
  ['sys/auth/x', { type: 'jwt', description: 'd', config: { default_lease_ttl: '1h' }, local: false }],
  ['sys/auth/jwt/tune', { default_lease_ttl: '1h', max_lease_ttl: '2h', token_type: 'default-service' }],
  ['sys/mounts/auth/jwt/tune', { listing_visibility: 'unauth', audit_non_hmac_request_keys: ['a'] }],
  ['sys/remount', { from: 'auth/x', to: 'auth/y' }],
  ['sys/policies/acl/p', { policy: 'path "a" { capabilities = ["read"] }' }],
  ['sys/policy/p', { rules: 'path "a" { capabilities = ["read"] }' }],
  ['sys/capabilities', { token: 'x', paths: ['a'] }],
  ['sys/capabilities-self', { paths: ['a'] }],
  ['sys/namespaces/n', { custom_metadata: { a: 'b' } }],
  ['sys/config/ui/custom-messages', { ...message, link: { a: 'http://x' }, options: { a: 1 } }],
  ['sys/config/ui/custom-messages/x', { ...message, end_time: '2027-12-01T00:00:00Z', authenticated: false }],
  ['sys/internal/ui/unauthenticated-messages', {}],
  ['sys/health', {}],
  ['sys/nope', {}],
  ['', {}],
  ['identity/entity', { name: 'e', policies: ['p'], metadata: { a: 'b' }, disabled: false }],
  ['identity/entity/name/e', { policies: ['p'] }],
  ['identity/group', { ...group, member_group_ids: ['x'] }],
  ['identity/group/name/g', { ...group, type: 'internal', member_entity_ids: ['x'] }],
  ['identity/group-alias', alias],
  ['identity/group-alias/id/x', { name: 'a', mount_accessor: 'x' }],
  ['identity/entity-alias', { ...alias, custom_metadata: { a: 'b' } }],
  ['sys/audit-hash/file', { input: 'x' }],
  ['sys/metrics', {}],
  ['identity/lookup/entity', { alias_name: 'a', alias_mount_accessor: 'x' }],
  ['identity/lookup/entity', { name: 'e' }],
  ['identity/lookup/group', { name: 'g' }],
];
const paths = known.map(([path]) => path);
const spoiling: unknown[] = [
  '',
  ' ',
  '\ud800',
  '\0',
  '..',
  '/',
  '%',
  '__proto__',
  'constructor',
  'root',
  'x'.repeat(5_000),
  '1h',
  '-1',
  '1e400',
  '9'.repeat(400),
  '9999999999999h',
  'NaN',
  'null',
  '{}',
  '[]',
  'default,root',
  '2026-12-01T00:00:00Z',
  '9999-12-31T23:59:59+00:00',
  'YQ==',
  'http://[',
  'file:///',
  '10.0.0.0/99',
  'path "a" { capabilities = ["read"] }',
  '{"path":{"a":{}}}',
  'path "+/*" {',
  'jwt',
  'oidc',
  'batch',
  0,
  -0,
  -1,
  1e308,
  1e15,
  0.1,
  2 ** 53,
  2 ** 31,
  true,
  false,
  null,
];
const nasty = fc.constantFrom(...spoiling);
const value = fc.oneof(
  { weight: 3, arbitrary: nasty },
  fc.array(nasty, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', '', '/a/b', '__proto__', 'provider', '\ud800'), nasty, { maxKeys: 3 }),
  fc.jsonValue({ maxDepth: 4 }),
);
const spoilt = fc
  .tuple(
    fc.constantFrom(...known),
    fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 2 }),
    fc.option(fc.tuple(fc.constantFrom('__proto__', 'constructor', ''), value), { nil: undefined }),
  )
  .map(([[path, good], changes, extra]) => {
    const names = Object.keys(good);
    const changed = changes.map(([at, one]) => [names[at % names.length] ?? 'x', one]);
    return {
      path,
      body: JSON.stringify({ ...good, ...Object.fromEntries(extra ? [...changed, extra] : changed) }),
    };
  });
const anything = fc.record({
  path: fc.oneof(
    fc
      .tuple(fc.constantFrom(...paths), fc.string({ unit: 'binary', maxLength: 40 }))
      .map(([start, end]) => `${start}/${encodeURIComponent(end.toWellFormed())}`),
    fc.string({
      unit: fc.constantFrom('a', '/', '.', '%', '2', 'e', '?', '#', '+', 'f', '0'),
      maxLength: 40,
    }),
    fc.constantFrom(...paths),
  ),
  body: fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.json()),
});
const request = fc.record({
  method: fc.oneof(
    { weight: 3, arbitrary: fc.constant('POST') },
    fc.constantFrom('GET', 'PUT', 'DELETE', 'LIST', 'PATCH', 'HEAD'),
  ),
  what: fc.oneof({ weight: 4, arbitrary: spoilt }, anything),
  type: fc.constantFrom(
    'application/json',
    'application/json\t',
    ' application/json',
    'text/plain',
    'application/json;;;',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'x',
    ';',
    'application/json, text/html',
  ),
  token: fc.oneof(
    { weight: 9, arbitrary: fc.constant('root') },
    fc.constantFrom('nobody', '', 'hvb.AAAA', 'x'.repeat(2_000)),
  ),
  namespace: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constantFrom('n', 'root', '../n', '%')),
});
type Asked = typeof request extends fc.Arbitrary<infer One> ? One : never;

test('each field of each body, spoilt in each way, is answered below 500', async () => {
  const failed: string[] = [];
  const values = [...spoiling, [null], [{}], ['\ud800'], {}, { '\ud800': '\ud800' }, { a: [] }];
  const fields = known.flatMap(([path, good]) => Object.keys(good).map((name) => ({ path, good, name })));
  // In `npm test` each value meets some of the fields, and each field some of the values.
  const few = isIn('npm test') ? 6 : 1;
  for (const [at, { path, good, name }] of fields.entries()) {
    const asked = values
      .filter((_, place) => (at + place) % few === 0)
      .map(async (one) => {
        const body = JSON.stringify({ ...good, [name]: one });
        const headers = { 'X-Vault-Token': 'root' };
        const response = await fetch(`${server().address}/v1/${path}`, { method: 'POST', headers, body });
        await response.text();
        if (response.status >= 500) failed.push(`${path} ${name} ${JSON.stringify(one)}`);
      });
    await Promise.all(asked);
  }
  expect(failed).toEqual([]);
});

test(`whatever is asked is answered below 500, refusals in their form (seed ${seed})`, async () => {
  const check = async ({ method, what: { path, body }, type, token, namespace }: Asked) => {
    const bytes = Buffer.from(body, 'utf8');
    const answer = await rawHttp(
      server().address,
      `${method} /v1/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\n` +
        `X-Vault-Token: ${token}\r\nX-Vault-Namespace: ${namespace}\r\n` +
        `Content-Length: ${bytes.length}\r\n\r\n${body}`,
    );
    const status = Number(statusesOf(answer)[0]);
    expect(status).toBeGreaterThanOrEqual(200);
    expect(status).toBeLessThan(500);
    const text = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    if (method === 'HEAD' || status < 400) return;
    const refusal = JSON.parse(text);
    expect(Object.keys(refusal)).toEqual(['errors']);
    for (const error of refusal.errors) expect(typeof error).toBe('string');
  };
  await fc.assert(fc.asyncProperty(request, check), { numRuns: isIn('npm test') ? 300 : 1_500, seed });
  // Nothing was refused for a failure of the service itself.
  expect(logged.filter((message) => message.startsWith('a request failed'))).toEqual([]);
});
