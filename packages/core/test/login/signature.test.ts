import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { CompactSign } from 'jose';
import { signingAlgorithms } from '../../src/graph/resources/checks.ts';
import { type TokenRules, tokenLimit } from '../../src/login/compact-token.ts';
import { keyFromPem, type VerificationKey } from '../../src/login/key-set.ts';
import type { LoginRefused } from '../../src/login/login-refused.ts';
import { type Keys, verifySignature } from '../../src/login/signature.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const claims = { sub: 'ann' };
const base64url = (text: string) => Buffer.from(text).toString('base64url');
const read = ({ publicKey }: { publicKey: KeyObject }, id?: string): VerificationKey => ({
  ...(keyFromPem(publicKey.export({ type: 'spki', format: 'pem' }) as string) as VerificationKey),
  ...(id === undefined ? {} : { id }),
});
const configured: Keys = () => ({ source: 'configured', keys: [rsa, ec, ed].map((pair) => read(pair)) });
const published: Keys = () => ({ source: 'published', keys: [read(rsa, 'one'), read(ec)] });
const signed = (header: { alg: string; kid?: string }, { privateKey }: { privateKey: KeyObject } = rsa) =>
  new CompactSign(Buffer.from(JSON.stringify(claims))).setProtectedHeader(header).sign(privateKey);
/** Signs a header and a payload that no library would write. */
const written = (header: string, payload: string) => {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${sign('sha256', Buffer.from(input), rsa.privateKey).toString('base64url')}`;
};
const refusal = (token: string, keys: Keys, rules?: TokenRules, algorithms = signingAlgorithms) =>
  verifySignature(token, keys, [...algorithms], rules).then(
    () => undefined,
    ({ reason, message }: LoginRefused) => `${reason}: ${message.replace(/^.*signature: /, '')}`,
  );
const noKnownKey = 'token.signature: no known key successfully validated the token signature';
const notByIssuer = 'token.signature: failed to verify id token signature';

describe.each(['own', 'server'] as const)('by %s rules', (rules) => {
  test.each([
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => [alg, rsa] as const),
    ['ES256', ec] as const,
    ['EdDSA', ed] as const,
  ])('a signature by %s is verified', async (alg, pair) => {
    const token = await signed({ alg }, pair);
    await expect(verifySignature(token, configured, [...signingAlgorithms], rules)).resolves.toEqual(claims);
  });

  test('an algorithm that is not among the supported is refused', async () => {
    expect(await refusal(await signed({ alg: 'RS384' }), configured, rules, ['RS256'])).toMatch(
      /^token.algorithm/,
    );
  });

  test('a signature by another key is refused', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const token = await signed({ alg: 'ES256' }, other);
    expect(await refusal(token, configured, rules)).toBe(noKnownKey);
    expect(await refusal(token, published, rules)).toBe(notByIssuer);
  });

  test('the key of an issuer is found by its id, a configured one is not asked for', async () => {
    const [own, other] = [
      await signed({ alg: 'RS256', kid: 'one' }),
      await signed({ alg: 'RS256', kid: 'two' }),
    ];
    expect(await refusal(own, published, rules)).toBeUndefined();
    expect(await refusal(other, published, rules)).toBe(notByIssuer);
    expect(await refusal(await signed({ alg: 'RS256' }), published, rules)).toBeUndefined();
    expect(await refusal(other, configured, rules)).toBeUndefined();
  });

  test('the issuer is asked for the key of the header', async () => {
    const ids: (string | undefined)[] = [];
    const keys: Keys = (id) => {
      ids.push(id);
      return published(id);
    };
    await refusal(await signed({ alg: 'RS256', kid: 'one' }), keys, rules);
    expect(ids).toEqual(['one']);
  });

  test('keys that cannot be had are no refusal', async () => {
    const keys = () => {
      throw new TypeError('no keys');
    };
    const token = await signed({ alg: 'RS256' });
    await expect(verifySignature(token, keys, [...signingAlgorithms], rules)).rejects.toThrow(TypeError);
  });
});

describe('by our own rules', () => {
  test('a token may be as long as the limit, and no longer', async () => {
    const tokens = Array.from({ length: 12 }, (_, padding) =>
      written('{"alg":"RS256"}', `{"a":"${'x'.repeat(48_868 + padding)}"}`),
    );
    const [longest] = tokens.filter(({ length }) => length === tokenLimit);
    const [longer] = tokens.filter(({ length }) => length > tokenLimit);
    expect(await refusal(longest ?? '', configured)).toBeUndefined();
    expect(await refusal(longer ?? '', configured)).toMatch(/a token may have 65536 bytes/);
  });

  test('what is not a token is refused before keys are asked for', async () => {
    const keys = () => {
      throw new Error('asked');
    };
    expect(await refusal('x', keys)).toMatch(/^token.malformed: malformed token: /);
    expect(await refusal(written('{"alg":"RS256"}', '[]'), keys)).toMatch(
      /^token.malformed: malformed token: /,
    );
  });
});

// As hashicorp/cap and coreos/go-oidc do; packages/core/test/login/openbao-cases.ts asks a real server.
describe('by the rules of servers', () => {
  const refusalOf = (token: string, keys: Keys) => refusal(token, keys, 'server');

  test('what is not a token is refused in the words of what was to verify it', async () => {
    const why = 'go-jose/go-jose: compact JWS format must have three parts';
    expect(await refusalOf('x', configured)).toBe(`token.malformed: ${why}`);
    expect(await refusalOf('x', published)).toBe(`token.malformed: oidc: malformed jwt: ${why}`);
  });

  test('padding is taken with configured keys only', async () => {
    const token = `${written('{"alg":"RS256"}', JSON.stringify(claims))}==`;
    expect(await refusalOf(token, configured)).toBeUndefined();
    expect(await refusalOf(token, published)).toBe(
      'token.malformed: oidc: malformed jwt: illegal base64 data',
    );
  });

  test('an algorithm that no issuer may use is refused before its signature', async () => {
    const token = written('{"alg":"none"}', JSON.stringify(claims));
    expect(await refusalOf(token, configured)).toBe(noKnownKey);
    expect(await refusalOf(token, published)).toMatch(
      /^token.malformed: oidc: malformed jwt: unexpected signature algorithm "none"; expected \["RS256" "/,
    );
  });

  test('a payload that cannot be read is one that no configured key verifies', async () => {
    const token = written('{"alg":"RS256"}', '[]');
    expect(await refusalOf(token, configured)).toBe(noKnownKey);
    expect(await refusalOf(token, published)).toBe('token.malformed: the payload is not a JSON object');
  });

  test('a claim that is there twice is read by published keys only', async () => {
    const token = written('{"alg":"RS256"}', '{"sub":"a","sub":"ann"}');
    expect(await refusalOf(token, configured)).toBe(noKnownKey);
    await expect(verifySignature(token, published, ['RS256'], 'server')).resolves.toEqual(claims);
  });

  test('a critical header that is not known keeps every key from verifying', async () => {
    const token = written('{"alg":"RS256","crit":["x"]}', JSON.stringify(claims));
    expect(await refusalOf(token, configured)).toBe(noKnownKey);
  });
});
