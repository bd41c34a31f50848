import { createSecretKey, generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { started } from '../harness/started.ts';
import { describeOnBothServers } from '../harness/two-servers.ts';
import {
  enableJwt,
  goodClaims,
  login,
  p256,
  p384,
  part,
  rsa,
  rsaJwk,
  rsaPem,
  signed,
  startKeyServer,
} from './jwt-methods.ts';

// docs/inside/measured/weaknesses.md#json-web-tokens-rfc-8725, against servers that answer.
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const strangerJwk = { ...stranger.publicKey.export({ format: 'jwk' }), kid: 'rsa' };
const byStranger = { key: stranger.privateKey };
const good = goodClaims();
const hmac = (secret: string | Buffer) => ({ by: 'HS256', key: createSecretKey(Buffer.from(secret)) });
const byCurve = (alg: 'ES256' | 'ES384', kid: string, { privateKey: key }: typeof p256) =>
  signed({ alg, kid }, good, { by: alg, key });
const der = rsa.publicKey.export({ type: 'spki', format: 'der' });

describeOnBothServers('RFC 8725, tokens that are none of the issuer', (server) => {
  const keys = started(startKeyServer);
  beforeAll(async () => {
    await enableJwt(server(), { path: 'published', jwksUrl: `${keys().address}/jwks` });
    await enableJwt(server(), { path: 'configured' });
  });

  const fine = signed({ alg: 'RS256', kid: 'rsa' }, good);
  test.each(['published', 'configured'])('a token that is right signs in (%s keys)', async (path) => {
    expect((await login(server(), path, fine)).status).toBe(200);
  });
  test('each key signs by the algorithm of its own curve', async () => {
    for (const token of [byCurve('ES256', 'p256', p256), byCurve('ES384', 'p384', p384)])
      expect((await login(server(), 'published', token)).status).toBe(200);
  });

  const [head, , signature] = fine.split('.');
  const refused: [string, string][] = [
    ['alg none without a signature', `${part({ alg: 'none' })}.${part(good)}.`],
    ['alg None with the signature of another token', `${part({ alg: 'None' })}.${part(good)}.${signature}`],
    ['no alg', signed({ typ: 'JWT' }, good)],
    ['an alg that is no text', signed({ alg: ['RS256'] }, good)],
    ['no signature', `${head}.${part(good)}.`],
    ['other claims below the signature', `${head}.${part({ ...good, sub: 'mallory' })}.${signature}`],
    ['another header over the signature', `${part({ alg: 'RS256' })}.${part(good)}.${signature}`],
    ['the public key (PEM) as HMAC secret', signed({ alg: 'HS256' }, good, hmac(rsaPem))],
    ['the public key (PEM, trimmed) as HMAC secret', signed({ alg: 'HS256' }, good, hmac(rsaPem.trim()))],
    ['the public key (DER) as HMAC secret', signed({ alg: 'HS256', kid: 'rsa' }, good, hmac(der))],
    ['an empty HMAC secret', signed({ alg: 'HS256' }, good, hmac(' '))],
    ['RS256 signed as PS256', signed({ alg: 'RS256', kid: 'rsa' }, good, { by: 'PS256' })],
    ['PS256 signed as RS256', signed({ alg: 'PS256', kid: 'rsa' }, good)],
    ['ES256 signed by the P-384 key', byCurve('ES256', 'p384', p384)],
    ['ES384 signed by the P-256 key', byCurve('ES384', 'p256', p256)],
    ['ES256 that names the RSA key', signed({ alg: 'ES256', kid: 'rsa' }, good)],
    ['a key of its own (jwk)', signed({ alg: 'RS256', jwk: strangerJwk }, good, byStranger)],
    ['a kid of the issuer and a key of its own', signed({ alg: 'RS256', kid: 'rsa' }, good, byStranger)],
    ['a kid that is a path', signed({ alg: 'RS256', kid: '../../../dev/null' }, good, byStranger)],
    ['a kid that is a query', signed({ alg: 'RS256', kid: "x' OR '1'='1" }, good, byStranger)],
    [
      'five parts (JWE)',
      `${part({ alg: 'dir', enc: 'A256GCM' })}..${part('iv')}.${part('x')}.${part('tag')}`,
    ],
    ['two parts', `${head}.${part(good)}`],
    ['four parts', `${fine}.x`],
    ['a payload that is no object', signed({ alg: 'RS256', kid: 'rsa' }, '[]')],
    ['a payload that is no JSON', signed({ alg: 'RS256', kid: 'rsa' }, '{')],
    ['no times', signed({ alg: 'RS256', kid: 'rsa' }, { sub: 'alice', aud: 'secrets' })],
    ['the alphabet of base64', fine.replace(/\.[^.]*$/, (text) => `${text.slice(0, -4)}+/+/`)],
  ];
  describe.each(['published', 'configured'])('%s keys', (path) => {
    test.each(refused)('refused: %s', async (_, jwt) => {
      const { status, body } = await login(server(), path, jwt);
      expect([status, body]).toEqual([400, { errors: [expect.any(String)] }]);
      expect(JSON.stringify(body)).not.toContain(jwt);
    });
  });

  test.each([
    ['jku', { kid: 'rsa', jku: 'URL' }],
    ['x5u', { kid: 'rsa', x5u: 'URL' }],
    ['kid', { kid: 'URL' }],
  ])('a URL as %s of a header is not fetched', async (_, names) => {
    const before = keys().asked.length;
    const header = JSON.stringify({ alg: 'RS256', ...names }).replace(
      'URL',
      `${keys().address}/of-the-attacker`,
    );
    const { status } = await login(server(), 'published', signed(JSON.parse(header), good, byStranger));
    const fetched = keys().asked.slice(before);
    expect([status, fetched.filter((url) => url !== '/jwks')]).toEqual([400, []]);
  });
});

// Where this service is stricter than OpenBao.
describe('RFC 8725, strictness of the embedded service', () => {
  const server = started(startEmbeddedService);
  beforeAll(async () => {
    await enableJwt(server(), { path: 'jwt' });
  });
  const header = { alg: 'RS256' };
  const statusOf = async (jwt: string) => (await login(server(), 'jwt', jwt)).status;

  const inJson = (jwt: string) => {
    const [head, payload, signature] = jwt.split('.');
    return JSON.stringify({ payload, protected: head, signature });
  };
  test.each([
    // OpenBao takes these two.
    ['padding', (jwt: string) => `${jwt}==`],
    ['its parts in JSON', inJson],
    ['a blank before it', (jwt: string) => ` ${jwt}`],
    ['a blank behind it', (jwt: string) => `${jwt} `],
    ['a line end behind it', (jwt: string) => `${jwt}\n`],
    ['a blank within', (jwt: string) => jwt.replace('.', '. ')],
    ['a line end within', (jwt: string) => jwt.replace('.', '.\n')],
    ['bits behind the end', (jwt: string) => `${jwt.slice(0, -1)}${nextSign(jwt.at(-1) as string)}`],
  ])('refuses %s', async (_, spoilt) => {
    expect(await statusOf(spoilt(signed(header, good)))).toBe(400);
  });
});

// RFC 7517, 4.2 to 4.4; RFC 8725, 3.1.
describe('what a published key says of itself', () => {
  const ecJwk = p256.publicKey.export({ format: 'jwk' });
  const algorithms = ['RS256', 'RS512', 'PS256', 'PS512', 'ES256'];
  const cases: [string, object, string[]][] = [
    ['nothing', rsaJwk, ['RS256', 'RS512', 'PS256', 'PS512']],
    ['alg PS512', { ...rsaJwk, alg: 'PS512' }, ['PS512']],
    ['alg RS256', { ...rsaJwk, alg: 'RS256', use: 'sig', key_ops: ['verify'] }, ['RS256']],
    ['alg RS512', { ...rsaJwk, alg: 'RS512' }, ['RS512']],
    ['an alg for encryption', { ...rsaJwk, alg: 'RSA-OAEP' }, []],
    ['an alg of another type of key', { ...rsaJwk, alg: 'ES256' }, []],
    ['an alg in another case', { ...rsaJwk, alg: 'rs256' }, []],
    ['alg none', { ...rsaJwk, alg: 'none' }, []],
    ['an alg with a shared secret', { ...rsaJwk, alg: 'HS256' }, []],
    ['an alg that is not a string', { ...rsaJwk, alg: ['RS256'] }, []],
    ['an empty alg', { ...rsaJwk, alg: '' }, []],
    ['use enc', { ...rsaJwk, use: 'enc' }, []],
    ['use enc and an alg for signatures', { ...rsaJwk, use: 'enc', alg: 'RS256' }, []],
    ['use enc and key_ops verify', { ...rsaJwk, use: 'enc', key_ops: ['verify'] }, []],
    ['a use that is not a string', { ...rsaJwk, use: ['sig'] }, []],
    ['key_ops verify', { ...ecJwk, key_ops: ['verify'] }, ['ES256']],
    ['key_ops sign and verify', { ...ecJwk, key_ops: ['sign', 'verify'] }, ['ES256']],
    ['key_ops encrypt', { ...rsaJwk, key_ops: ['encrypt'] }, []],
    ['key_ops sign alone', { ...rsaJwk, key_ops: ['sign'] }, []],
    ['no key_ops at all', { ...rsaJwk, key_ops: [] }, []],
    ['key_ops that are not a list', { ...rsaJwk, key_ops: 'verify' }, []],
    ['key_ops twice the same', { ...rsaJwk, key_ops: ['verify', 'verify'] }, []],
    ['use sig and key_ops encrypt', { ...rsaJwk, use: 'sig', key_ops: ['encrypt'] }, []],
    ['use sig and key_ops with encrypt', { ...rsaJwk, use: 'sig', key_ops: ['verify', 'encrypt'] }, []],
  ];
  const tokenBy = (by: string) =>
    signed({ alg: by }, good, { by, key: by === 'ES256' ? p256.privateKey : rsa.privateKey });

  const server = started(startEmbeddedService);

  test.each(cases)('%s', async (_, jwk, expected) => {
    // The key comes first, a good one of another type and curve behind it.
    const keys = await startKeyServer([jwk, p384.publicKey.export({ format: 'jwk' })]);
    const path = `keys-${cases.findIndex(([, one]) => one === jwk)}`;
    await enableJwt(server(), { path, jwksUrl: `${keys.address}/jwks`, algorithms });
    const statuses = await Promise.all(algorithms.map((by) => login(server(), path, tokenBy(by))));
    const accepted = algorithms.filter((_, index) => statuses[index]?.status === 200);
    expect(accepted).toEqual(expected);
    expect(statuses.every(({ status }) => status === 200 || status === 400)).toBe(true);
    await keys.close();
  });

  test('a key for encryption with the id of a good key does not take its place', async () => {
    const keys = await startKeyServer([
      { ...rsaJwk, kid: 'one', use: 'enc' },
      { ...rsaJwk, kid: 'one', alg: 'PS512' },
      { ...rsaJwk, kid: 'one', alg: 'RS256' },
    ]);
    await enableJwt(server(), { path: 'same-id', jwksUrl: `${keys.address}/jwks`, algorithms });
    const answers = ['RS256', 'PS512', 'RS512'].map((by) =>
      login(server(), 'same-id', signed({ alg: by, kid: 'one' }, good, { by })),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 400]);
    await keys.close();
  });
});

/** The base64url sign that differs in its last bit alone, which a 256-byte signature does not use. */
function nextSign(sign: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(sign) ^ 1] as string;
}
