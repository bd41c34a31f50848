import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CompactSign } from 'jose';
import { type KeySet, keyFromPem, keysFromJwks } from '../../../core/login/key-set.ts';
import { LoginRefused } from '../../../core/login/login-refused.ts';
import type { LoginRole } from '../../../core/login/login-role.ts';
import { signIn } from '../../../core/login/sign-in.ts';
import { toCamelCase } from '../../../core/model/values/wire.ts';
import { listen } from '../../../web/listen.ts';
import { ask, write as writeTo } from '../../harness/ask.ts';
import { describeWithOpenBao } from '../../harness/openbao.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string;
const pems = [rsa, ec, ed].map(({ publicKey }) => pem(publicKey));
const jwks = { keys: [{ ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] };

const now = Math.floor(Date.now() / 1000);
const role = { role_type: 'jwt', user_claim: 'sub', bound_audiences: ['app'] };
const claims = { sub: 'alice', aud: 'app', iss: 'https://issuer.example', iat: now, exp: now + 600 };

interface Case {
  config?: object;
  role?: object;
  claims?: object;
  header?: { alg: string; [name: string]: unknown };
  key?: KeyObject;
  /** Changes the token after it was signed. */
  change?: (token: string) => string;
  /** True: both refuse the token before its claims are read, each in its own words. */
  malformed?: boolean;
  published?: boolean;
}

const base64url = (value: string | object) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const replacePart = (index: number, part: string) => (token: string) =>
  token.split('.').with(index, part).join('.');
/** Signs a payload or a header that no library would write. */
const signed = (header: string, payload: string) => {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), rsa.privateKey).toString('base64url')}`;
};

const cases: Record<string, Case> = {
  // Signature and algorithm.
  'a good token': {},
  'a good token by the published keys': { published: true, header: { alg: 'RS256', kid: 'one' } },
  'a good token without a key id, by the published keys': { published: true },
  'an unknown key id': { published: true, header: { alg: 'RS256', kid: 'two' } },
  'a key id like a path': { published: true, header: { alg: 'RS256', kid: '../../one' } },
  'a key id that configured keys know nothing of': { header: { alg: 'RS256', kid: 'any' } },
  'another key': { key: stranger.privateKey },
  'another key, by the published keys': { key: stranger.privateKey, published: true },
  'PS256 with the RSA key': { header: { alg: 'PS256' } },
  'RS512 with the RSA key': { header: { alg: 'RS512' } },
  'ES256 with the EC key': { header: { alg: 'ES256' }, key: ec.privateKey },
  'EdDSA with the Ed25519 key': { header: { alg: 'EdDSA' }, key: ed.privateKey },
  'an algorithm that is not among the supported': {
    config: { jwt_supported_algs: ['RS256'] },
    header: { alg: 'ES256' },
    key: ec.privateKey,
  },
  'an algorithm that is among the supported': {
    config: { jwt_supported_algs: ['ES256'] },
    header: { alg: 'ES256' },
    key: ec.privateKey,
  },
  'no token': { change: () => '' },
  'a text': { change: () => 'nonsense', malformed: true },
  'two parts': { change: (token) => token.split('.').slice(0, 2).join('.'), malformed: true },
  'alg none': { change: (token) => `${base64url({ alg: 'none' })}.${token.split('.')[1]}.`, malformed: true },
  'alg None with a signature': { change: replacePart(0, base64url({ alg: 'None' })), malformed: true },
  'HS256 with the public key as its secret': {
    malformed: true,
    change(token) {
      const input = `${base64url({ alg: 'HS256' })}.${token.split('.')[1]}`;
      return `${input}.${createHmac('sha256', pems[0] ?? '')
        .update(input)
        .digest('base64url')}`;
    },
  },
  'no signature': { change: replacePart(2, ''), malformed: true },
  'a changed payload': { change: replacePart(1, base64url({ ...claims, sub: 'root' })) },
  'a changed header': { change: replacePart(0, base64url({ alg: 'RS384' })) },
  'an own key in the header': {
    header: { alg: 'RS256', jwk: stranger.publicKey.export({ format: 'jwk' }) },
    key: stranger.privateKey,
  },
  'a payload that is no object': { change: () => signed('{"alg":"RS256"}', '[]'), malformed: true },
  // What both leave out of account or refuse in the claims.
  'AUD and ISS for aud and iss': { claims: { AUD: 'app', aud: undefined } },
  // Issuer, subject, audience.
  'the bound issuer': { config: { bound_issuer: 'https://issuer.example' } },
  'another issuer': { config: { bound_issuer: 'https://issuer.example/' } },
  'no issuer where one is bound': { config: { bound_issuer: 'x' }, claims: { iss: undefined } },
  'the bound subject': { role: { bound_subject: 'alice' } },
  'another subject': { role: { bound_subject: 'bob' } },
  'a part of the bound audience': { claims: { aud: 'ap' } },
  'more than the bound audience': { claims: { aud: 'app2' } },
  'one of several audiences': { claims: { aud: ['x', 'app'] } },
  'no audience where one is bound': { claims: { aud: undefined } },
  'an audience where none is bound': { role: { bound_audiences: [], bound_subject: 'alice' } },
  'audiences where none is bound': {
    role: { bound_audiences: [], bound_subject: 'alice' },
    claims: { aud: ['x'] },
  },
  'no audience where none is bound': {
    role: { bound_audiences: [], bound_subject: 'alice' },
    claims: { aud: undefined },
  },
  'an empty list of audiences where none is bound': {
    role: { bound_audiences: [], bound_subject: 'alice' },
    claims: { aud: [] },
  },
  // Times.
  'no times': { claims: { iat: undefined, exp: undefined } },
  'expired within the skew': { claims: { exp: now - 30 } },
  expired: { claims: { exp: now - 90 } },
  'expired without any skew': { role: { clock_skew_leeway: -1 }, claims: { exp: now - 30 } },
  'expired within a greater skew': { role: { clock_skew_leeway: 300 }, claims: { exp: now - 90 } },
  'not yet valid': { claims: { nbf: now + 120 } },
  'not yet valid within the skew': { claims: { nbf: now + 30 } },
  'issued in the future': { claims: { iat: now + 120, nbf: now } },
  'no expiry, issued lately': { claims: { exp: undefined, iat: now - 100 } },
  'no expiry, issued long ago': { claims: { exp: undefined, iat: now - 300 } },
  'no expiry, a greater leeway': {
    role: { expiration_leeway: 600 },
    claims: { exp: undefined, iat: now - 300 },
  },
  'no expiry, no leeway': { role: { expiration_leeway: -1 }, claims: { exp: undefined, iat: now - 100 } },
  'only an expiry, soon': { claims: { iat: undefined, exp: now + 100 } },
  'only an expiry, far away': { claims: { iat: undefined, exp: now + 600 } },
  'only an expiry, far away, a greater leeway': {
    role: { not_before_leeway: 900 },
    claims: { iat: undefined, exp: now + 600 },
  },
  'a time with a fraction': { claims: { exp: now + 100.5 } },
  // User claim.
  'no user claim': { role: { user_claim: 'email' } },
  'a user claim that is a number': { role: { user_claim: 'id' }, claims: { id: 7 } },
  'a user claim that is null': { role: { user_claim: 'id' }, claims: { id: null } },
  'a user claim by pointer': {
    role: { user_claim: '/a/b~1c', user_claim_json_pointer: true },
    claims: { a: { 'b/c': 'deep' } },
  },
  'a user claim like a pointer that is none': {
    role: { user_claim: '/a/b' },
    claims: { a: { b: 'deep' }, '/a/b': 'flat' },
  },
  // Claim mappings.
  mappings: {
    role: { claim_mappings: { email: 'mail', '/a/0': 'first', gone: 'gone' } },
    claims: { email: 'a@b.example', a: ['x'] },
  },
  'a mapping of a number': { role: { claim_mappings: { id: 'id' } }, claims: { id: 7 } },
  'a mapping of a list': { role: { claim_mappings: { aud: 'aud' } } },
  // Groups.
  groups: { role: { groups_claim: 'groups' }, claims: { groups: ['a', '', 'b'] } },
  'one group': { role: { groups_claim: 'groups' }, claims: { groups: 'a' } },
  'groups by pointer': { role: { groups_claim: '/r/groups' }, claims: { r: { groups: ['a'] } } },
  'no groups': { role: { groups_claim: 'groups' } },
  'an empty list of groups': { role: { groups_claim: 'groups' }, claims: { groups: [] } },
  'groups that are no list': { role: { groups_claim: 'groups' }, claims: { groups: { a: 1 } } },
  'a group that is a number': { role: { groups_claim: 'groups' }, claims: { groups: ['a', 7] } },
  'a group that is an object': { role: { groups_claim: 'groups' }, claims: { groups: [{ b: [1], a: 'x' }] } },
  'groups that are one number': { role: { groups_claim: 'groups' }, claims: { groups: 7 } },
  // Bound claims.
  'a bound claim': { role: { bound_claims: { team: 'a' } }, claims: { team: 'a' } },
  'a bound claim of other letters': { role: { bound_claims: { team: 'a' } }, claims: { team: 'A' } },
  'a bound claim that is missing': { role: { bound_claims: { team: 'a' } } },
  'a bound claim, one of several': { role: { bound_claims: { team: ['a', 'b'] } }, claims: { team: 'b' } },
  'a bound claim, a list': { role: { bound_claims: { team: 'b' } }, claims: { team: ['a', 'b'] } },
  'a bound claim, an empty list': { role: { bound_claims: { team: 'b' } }, claims: { team: [] } },
  'a bound claim, an object': {
    role: { bound_claims: { team: 'b' } },
    claims: { team: { x: [true, null] } },
  },
  'true for the text true': { role: { bound_claims: { admin: 'true' } }, claims: { admin: true } },
  'true for true': { role: { bound_claims: { admin: true } }, claims: { admin: true } },
  'a number for its text': { role: { bound_claims: { id: '7' } }, claims: { id: 7 } },
  'a number for a number': { role: { bound_claims: { id: 7 } }, claims: { id: 7 } },
  'a fraction for a whole number': { role: { bound_claims: { id: 7 } }, claims: { id: 7.9 } },
  'a bound claim by pointer': {
    role: { bound_claims: { '/k8s/namespace': 'shop' } },
    claims: { k8s: { namespace: 'shop' } },
  },
  'a pointer through a text': { role: { bound_claims: { '/team/x': 'a' } }, claims: { team: 'a' } },
  'a pointer at the prototype': { role: { bound_claims: { '/__proto__/x': 'a' } }, claims: { team: 'a' } },
  'a glob': {
    role: { bound_claims_type: 'glob', bound_claims: { ref: 'a/*/c' } },
    claims: { ref: 'a/b/b/c' },
  },
  'a glob that ends otherwise': {
    role: { bound_claims_type: 'glob', bound_claims: { ref: 'a/*/c' } },
    claims: { ref: 'a/b/c/d' },
  },
  'a glob whose ends overlap': {
    role: { bound_claims_type: 'glob', bound_claims: { ref: 'ab*ba' } },
    claims: { ref: 'aba' },
  },
  'a bare star': { role: { bound_claims_type: 'glob', bound_claims: { ref: '*' } }, claims: { ref: '' } },
  'a glob and a number': {
    role: { bound_claims_type: 'glob', bound_claims: { ref: '*' } },
    claims: { ref: 7 },
  },
  'a star where no globs are': { role: { bound_claims: { ref: 'a*' } }, claims: { ref: 'ab' } },
  // Roles.
  'an oidc role': { role: { role_type: 'oidc', allowed_redirect_uris: ['http://localhost/'] } },
};

// openbao/openbao builtin/credential/jwt/path_login.go and claims.go; hashicorp/cap jwt/jwt.go.
describeWithOpenBao('core/login says what OpenBao says', (server) => {
  let issuer: Server;
  let jwksUrl: string;
  beforeAll(async () => {
    issuer = createServer((_, response) => {
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(jwks));
    });
    jwksUrl = `http://127.0.0.1:${await listen(issuer, 0)}/`;
    await write('sys/auth/jwt', { type: 'jwt' });
  });
  afterAll(() => {
    issuer.close();
    issuer.closeAllConnections();
  });

  const call = (path: string, body: object) => ask(server(), { method: 'POST', path, body });
  const write = (path: string, body: object) => writeTo(server(), path, body);

  let count = 0;
  test.each(Object.entries(cases))('%s', async (_, one) => {
    const name = `role${count++}`;
    const wireRole = { ...role, ...one.role };
    const keys = one.published ? { jwks_url: jwksUrl } : { jwt_validation_pubkeys: pems };
    await write('auth/jwt/config', { ...keys, ...one.config });
    await write(`auth/jwt/role/${name}`, wireRole);
    const payload = Buffer.from(JSON.stringify({ ...claims, ...one.claims }));
    const good = await new CompactSign(payload)
      .setProtectedHeader(one.header ?? { alg: 'RS256' })
      .sign(one.key ?? rsa.privateKey);
    const jwt = one.change?.(good) ?? good;

    const { body } = await call('auth/jwt/login', { role: name, jwt });
    const real = body.auth?.metadata ?? { refused: body.errors.join() };

    const keySet: KeySet = one.published
      ? { source: 'published', keys: keysFromJwks(jwks) ?? [] }
      : { source: 'configured', keys: pems.map((text) => keyFromPem(text)!) };
    const ours = await signIn({
      config: camelCase(one.config ?? {}),
      roleName: name,
      role: () => ({ ...camelCase(wireRole), name }) as LoginRole,
      token: jwt,
      keys: () => keySet,
      addressAllowed: () => true,
      now: BigInt(Date.now()) * 1_000_000n,
    });
    const refusal = ours instanceof LoginRefused ? ours.message : undefined;
    if (one.malformed) {
      const signature = /^error validating token: /;
      expect([refusal, real.refused]).toEqual([
        expect.stringMatching(signature),
        expect.stringMatching(signature),
      ]);
    } else {
      expect(refusal === undefined ? (ours as any).metadata : { refused: refusal }).toEqual(real);
    }
  });
});

function camelCase(wire: object): Record<string, any> {
  return Object.fromEntries(Object.entries(wire).map(([name, value]) => [toCamelCase(name), value]));
}
