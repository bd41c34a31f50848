// All mistakes of a caller, against the running service: the status, the text if facts/jwt-oidc.md or
// facts/custom-messages.md give it, and nothing is half stored.
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import { parseInstant } from '../../../core/model/values/instant.ts';
import { ask, expectRefused } from '../../harness/ask.ts';
import { startEmbeddedService } from '../../harness/embedded-service.ts';
import { MemoryStorage } from '../../harness/memory-storage.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const strangersKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const start = parseInstant('2026-06-01T12:00:00Z') as bigint;
const second = Number(start / 1_000_000_000n);

const messages = 'sys/config/ui/custom-messages';
const message = { title: 'Maintenance', message: 'U2F0dXJkYXk=', start_time: '2026-01-01T00:00:00Z' };
const claims = {
  sub: 'ann',
  aud: 'app',
  iss: 'issuer',
  groups: ['team'],
  team: 'ops',
  iat: second,
  exp: second + 60,
};

let now = start;
const storage = new MemoryStorage();
const stored = () => JSON.stringify(storage.list(''));
let service: Awaited<ReturnType<typeof startEmbeddedService>>;
beforeAll(async () => {
  service = await startEmbeddedService({ storage, now: () => now });
  const write = async (path: string, body: object) => {
    const { status } = await ask(service, { method: 'POST', path, body });
    expect([path, status]).toEqual([path, expect.any(Number)]);
    expect(status).toBeLessThan(300);
  };
  await write('sys/auth/staff', { type: 'jwt' });
  await write('sys/auth/people', { type: 'oidc' });
  await write('auth/staff/config', { jwt_validation_pubkeys: [pem], bound_issuer: 'issuer' });
  const bound = { bound_subject: 'ann', bound_claims: { team: 'ops' }, groups_claim: 'groups' };
  const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'] };
  await write('auth/staff/role/bound', { ...role, ...bound });
  await write('auth/staff/role/no-audience', { role_type: 'jwt', user_claim: 'sub', bound_subject: 'ann' });
  await write('auth/staff/role/mapped', { ...role, claim_mappings: { groups: 'groups' } });
  await write('auth/staff/role/by-team', { ...role, user_claim: 'team' });
  await write('auth/staff/role/elsewhere', { ...role, token_bound_cidrs: ['10.0.0.0/8'] });
  await write('auth/staff/role/person', { user_claim: 'sub', allowed_redirect_uris: ['http://localhost/x'] });
  await write('identity/group', { name: 'team', type: 'external' });
  await write('sys/namespaces/full', {});
  for (let count = 0; count < 100; count += 1) {
    await ask(service, { method: 'POST', path: messages, body: message, namespace: 'full' });
  }
});
afterAll(() => service.close());

/** The service's response; fails if a refusal changed the storage. */
async function refusal(
  method: string,
  path: string,
  more: { body?: unknown; token?: string; namespace?: string },
) {
  const before = stored();
  const { token = service.token, namespace = '', body } = more;
  const response = await fetch(`${service.address}/v1/${path}`, {
    method,
    headers: { 'X-Secrets-Token': token, 'X-Secrets-Namespace': namespace },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as object;
  expect(stored()).toBe(before);
  return { status: response.status, body: answer };
}

const notJson = (why: string) => `failed to decode JSON input: ${why}`;
const noRoute = (path: string) => `no handler for route "${path}". route entry not found.`;
const inside = (why: string) => `1 error occurred:\n\t* ${why}\n\n`;
const object = 'map[string]interface {}';
const list = '[]interface {}';
const unconvertible = (name: string, wanted: string, got: string) =>
  `error converting input for field "${name}": '' expected type '${wanted}', got unconvertible type '${got}'`;
const field = (...what: Parameters<typeof unconvertible>) =>
  `Field validation failed: ${unconvertible(...what)}`;

describe('a body that is none', () => {
  const places = [
    'auth/staff/login',
    'auth/staff/config',
    'auth/staff/role/x',
    'auth/people/oidc/auth_url',
    'auth/token/create',
    'sys/auth/x',
    'sys/policies/acl/x',
    'sys/namespaces/x',
    'sys/remount',
    'identity/group',
    'identity/group-alias',
    messages,
  ];
  test.each(places)('POST %s', async (path) => {
    const refused = notJson('invalid character at position 1');
    expectRefused(await refusal('POST', path, { body: '{nope' }), 400, refused);
    expectRefused(await refusal('POST', path, { body: '[]' }), 400, notJson('the body is not an object'));
  });
});

describe('a field of the wrong type', () => {
  test.each<[string, object, string]>([
    ['auth/staff/login', { role: ['x'] }, field('role', 'string', list)],
    ['auth/staff/config', { bound_issuer: {} }, field('bound_issuer', 'string', object)],
    ['auth/staff/role/x', { user_claim: [] }, unconvertible('user_claim', 'string', list)],
    ['auth/staff/role/x', { bound_claims: 'a' }, unconvertible('bound_claims', object, 'string')],
    ['auth/token/create', { policies: [{}] }, field('policies', 'string', object)],
    ['sys/auth/x', { type: [] }, field('type', 'string', list)],
    ['sys/auth/x', { type: 'jwt', config: 'a' }, field('config', object, 'string')],
    ['sys/policies/acl/x', { policy: {} }, field('policy', 'string', object)],
    ['identity/group', { name: [] }, field('name', 'string', list)],
    ['identity/group', { policies: {} }, field('policies', 'string', object)],
    ['identity/group-alias', { name: {} }, field('name', 'string', object)],
    [messages, { ...message, title: [] }, field('title', 'string', list)],
    [messages, { ...message, options: [] }, field('options', object, list)],
  ])('POST %s %j', async (path, body, text) => {
    expectRefused(await refusal('POST', path, { body }), 400, text);
  });
});

describe('what is not there', () => {
  const alias = { name: 'a', mount_accessor: 'auth_jwt_none' };
  test.each<[string, string, number, string[], object | undefined]>([
    ['POST', 'auth/none/login', 404, [noRoute('auth/none/login')], { role: 'x', jwt: 'y' }],
    ['POST', 'auth/none/role/x', 404, [noRoute('auth/none/role/x')], {}],
    ['POST', 'auth/none/config', 404, [noRoute('auth/none/config')], {}],
    ['POST', 'auth/none/oidc/auth_url', 404, [noRoute('auth/none/oidc/auth_url')], {}],
    ['GET', 'sys/auth/none', 400, ['No auth engine at none/'], undefined],
    ['GET', 'auth/staff/role/none', 404, [], undefined],
    ['GET', 'sys/policies/acl/none', 404, [], undefined],
    ['GET', 'identity/group/id/none', 404, [], undefined],
    ['POST', 'identity/group/id/none', 400, ['invalid group ID'], {}],
    ['POST', 'identity/group-alias', 400, ['invalid mount accessor "auth_jwt_none"'], alias],
    [
      'POST',
      'identity/group-alias',
      400,
      ["invalid group ID given in 'canonical_id'"],
      { ...alias, canonical_id: 'x' },
    ],
    ['GET', `${messages}/none`, 404, [], undefined],
    ['POST', `${messages}/none`, 404, [], message],
    ['POST', 'sys/auth/x', 400, ['plugin not found in the catalog: ldap'], { type: 'ldap' }],
    ['GET', 'sys/none', 404, [inside('unsupported path')], undefined],
    ['DELETE', 'sys/seal-status', 405, ['unsupported operation'], undefined],
  ])('%s %s', async (method, path, status, errors, body) => {
    expectRefused(await refusal(method, path, { body }), status, ...errors);
  });

  test('deleting a message that is not there succeeds', async () => {
    const before = stored();
    const answer = await ask(service, { method: 'DELETE', path: `${messages}/none` });
    expect([answer, stored()]).toEqual([{ status: 204, body: undefined }, before]);
  });

  test('a namespace that is not there', async () => {
    const answer = await refusal('GET', 'sys/auth', { namespace: 'none' });
    expectRefused(answer, 404, 'namespace not found');
  });
});

describe('a client token', () => {
  const denied = (answer: Awaited<ReturnType<typeof refusal>>) =>
    expectRefused(answer, 403, 'permission denied');
  const made = async (body: object) =>
    (await ask(service, { method: 'POST', path: 'auth/token/create', body })).body.auth.client_token;
  const paths = ['sys/auth', messages, 'auth/staff/role/bound', 'auth/token/lookup-self', 'nothing/here'];

  test.each(paths)('that is missing, or is none: GET %s', async (path) => {
    denied(await refusal('GET', path, { token: '' }));
    denied(await refusal('GET', path, { token: 'hvs.none' }));
    denied(await refusal('GET', path, { token: 'hvb.AAAA' }));
    denied(await refusal('GET', path, { token: `${service.token}x` }));
  });

  test('that expired', async () => {
    const token = await made({ ttl: '1m' });
    now += 60n * 1_000_000_000n;
    try {
      denied(await refusal('GET', 'sys/auth', { token }));
      denied(await refusal('POST', 'auth/token/renew-self', { token }));
    } finally {
      now = start;
    }
  });

  test('that was revoked', async () => {
    const token = await made({});
    await ask(service, { method: 'POST', path: 'auth/token/revoke', body: { token } });
    denied(await refusal('GET', 'sys/auth', { token }));
  });

  test('that has no policy for it', async () => {
    const token = await made({ policies: ['default'] });
    const answer = await refusal('POST', messages, { token, body: message });
    expectRefused(answer, 403, inside('permission denied'));
  });
});

describe('a message', () => {
  const base64 = 'invalid message parameter value, must be base64 encoded';
  const oneLink = 'invalid number of elements in link parameter value; only a single element can be provided';
  const order = 'message start time must occur before end time';
  test.each<[string, object, string]>([
    ['without a title', { title: '' }, 'missing title parameter value'],
    ['of bad base64', { message: 'not base64!' }, base64],
    ['with two links', { link: { a: 'https://a.example', b: 'https://b.example' } }, oneLink],
    [
      'that ends before it starts',
      { end_time: '2025-12-31T00:00:00Z' },
      `failed to create custom message: ${order}`,
    ],
    ['that ends as it starts', { end_time: message.start_time }, `failed to create custom message: ${order}`],
    ['of another type', { type: 'popup' }, 'failed to create custom message: unrecognized message type'],
  ])('%s', async (_, change, text) => {
    expectRefused(await refusal('POST', messages, { body: { ...message, ...change } }), 400, text);
  });

  test('number 101 of its namespace', async () => {
    const answer = await refusal('POST', messages, { body: message, namespace: 'full' });
    const text = 'failed to create custom message: maximum number of messages already exist';
    expectRefused(answer, 400, text);
  });
});

describe('a login', () => {
  const text = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = (change: object = {}, key = privateKey) =>
    new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg: 'ES256' }).sign(key);
  const hmac = () => {
    const body = `${text({ alg: 'HS256' })}.${text(claims)}`;
    return `${body}.${createHmac('sha256', pem).update(body).digest('base64url')}`;
  };
  const invalid = (why: string) => expect.stringMatching(new RegExp(`^error validating token: ${why}`));

  test('that is right is let in', async () => {
    const body = { role: 'bound', jwt: await signed() };
    const { status } = await ask(service, { method: 'POST', path: 'auth/staff/login', body, token: '' });
    expect(status).toBe(200);
  });

  test.each<[string, () => unknown, unknown, string?]>([
    ['without a token', () => undefined, 'missing token'],
    ['with a text', () => 'hello', invalid('')],
    ['with three parts of nothing', () => '..', invalid('')],
    ['with parts that are no JSON', () => 'YQ.YQ.YQ', invalid('')],
    ['with an encrypted token', () => 'a.b.c.d.e', invalid('')],
    ['with a very long token', () => `${'a'.repeat(20_000)}.b.c`, invalid('')],
    ['signed by nobody', () => `${text({ alg: 'none' })}.${text(claims)}.`, invalid('')],
    ['signed with the public key as a password', hmac, invalid('')],
    ['signed by a stranger', () => signed({}, strangersKey), invalid('error verifying token signature')],
    [
      'changed after it was signed',
      async () => `${(await signed()).replace(/\.[^.]+\./, `.${text({ ...claims, sub: 'eve' })}.`)}`,
      invalid('error verifying token signature'),
    ],
    ['that expired', () => signed({ iat: second - 900, exp: second - 600 }), invalid('.*token is expired')],
    ['that is not yet good', () => signed({ nbf: second + 600 }), invalid('.*token not yet valid')],
    ['without any time', () => signed({ iat: undefined, exp: undefined }), invalid('')],
    ['of another issuer', () => signed({ iss: 'other' }), invalid('.*issuer')],
    ['of another subject', () => signed({ sub: 'bob' }), invalid('.*subject')],
    ['for another audience', () => signed({ aud: 'application' }), invalid('.*audience')],
    [
      'for an audience where none is bound',
      () => signed(),
      'audience claim found in JWT but no audiences bound to the role',
      'no-audience',
    ],
    ['without the user claim', () => signed({ sub: undefined }), 'claim "sub" not found in token', 'mapped'],
    [
      'with a list for the user',
      () => signed({ team: ['ops'] }),
      expect.stringContaining('could not be converted to string'),
      'by-team',
    ],
    ['with a list to be mapped', () => signed(), expect.stringContaining('groups'), 'mapped'],
    [
      'without groups',
      () => signed({ groups: undefined }),
      'failed to fetch groups: "groups" claim not found in token',
    ],
    [
      'without a bound claim',
      () => signed({ team: undefined }),
      'error validating claims: claim "team" is missing',
    ],
    [
      'with another bound claim',
      () => signed({ team: 'dev' }),
      'error validating claims: claim "team" does not match any associated bound claim values',
    ],
    ['to no role', () => signed(), 'missing role', ''],
    ['to an unknown role', () => signed(), 'role "none" could not be found', 'none'],
    ['to a role for people', () => signed(), 'role with oidc role_type is not allowed', 'person'],
  ])('%s', async (_, jwt, why, role = 'bound') => {
    const answer = await refusal('POST', 'auth/staff/login', { token: '', body: { role, jwt: await jwt() } });
    expect(answer).toEqual({ status: 400, body: { errors: [why] } });
  });

  test('from an address that is not bound', async () => {
    const body = { role: 'elsewhere', jwt: await signed() };
    expectRefused(await refusal('POST', 'auth/staff/login', { token: '', body }), 403, 'permission denied');
  });

  test('to a method without configuration', async () => {
    const body = { role: 'x', jwt: await signed() };
    const answer = await refusal('POST', 'auth/people/login', { token: '', body });
    expectRefused(answer, 400, 'could not load configuration');
  });
});
