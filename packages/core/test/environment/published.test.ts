import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { calculateJwkThumbprint, type JWK } from 'jose';
import {
  parsePublished,
  publishedDifferences,
  publishedOf,
  publishedText,
} from '../../src/environment/published.ts';

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const [first, second] = [rsa(), rsa()] as [JWK, JWK];
const document = {
  issuer: 'https://id.example.com',
  jwks_uri: 'https://id.example.com/keys',
  token_endpoint: 'https://id.example.com/token',
  id_token_signing_alg_values_supported: ['RS256', 'ES256'],
  scopes_supported: ['openid'],
  claims_supported: ['sub'],
};
const before = await publishedOf(document, [{ ...first, kid: 'one', alg: 'RS256' }]);

describe('what a provider publishes', () => {
  test('is its issuer, endpoints, algorithms, scopes and keys by thumbprint', async () => {
    expect(before).toEqual({
      discovery: {
        id_token_signing_alg_values_supported: ['ES256', 'RS256'],
        issuer: 'https://id.example.com',
        jwks_uri: 'https://id.example.com/keys',
        scopes_supported: ['openid'],
        token_endpoint: 'https://id.example.com/token',
      },
      keys: [{ kid: 'one', alg: 'RS256', thumbprint: await calculateJwkThumbprint(first) }],
    });
  });

  test('has the thumbprint of the example in RFC 7638, section 3.1', async () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw';
    expect((await publishedOf(undefined, [{ kty: 'RSA', n, e: 'AQAB' }])).keys).toEqual([
      { thumbprint: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' },
    ]);
  });

  test('is the same whatever the order of lists and keys', async () => {
    const keys = [
      { ...first, kid: 'one' },
      { ...second, kid: 'two' },
    ];
    const turned = { ...document, id_token_signing_alg_values_supported: ['ES256', 'RS256'] };
    const [one, other] = [await publishedOf(document, keys), await publishedOf(turned, keys.toReversed())];
    expect(publishedDifferences(one, other)).toEqual([]);
    expect(publishedText(new Map([['a', one]]))).toBe(publishedText(new Map([['a', other]])));
  });

  test('leaves out what verifies no signature, and shows no symmetric key', async () => {
    const junk = [null, 'key', { kty: 'RSA' }, { kty: 'oct', k: 'c2VjcmV0' }, {}] as JWK[];
    expect(await publishedOf(undefined, junk)).toEqual({ keys: [] });
  });

  test('is read as it was written, and nothing else is', () => {
    const all = new Map([
      ['staff', before],
      ['ci', { keys: [] }],
    ]);
    expect(parsePublished(publishedText(all))).toEqual(all);
    for (const text of [
      '',
      '[]',
      '{"a": {}}',
      '{"a": {"keys": [], "more": 1}}',
      '{"a":{"keys":[]},"a":{"keys":[]}}',
    ]) {
      expect(() => parsePublished(text)).toThrow();
    }
  });
});

describe('a difference', () => {
  const changedBy = async (change: object, keys: JWK[] = [{ ...first, kid: 'one', alg: 'RS256' }]) =>
    publishedDifferences(before, await publishedOf({ ...document, ...change }, keys));

  test('of an endpoint says from what to what', async () => {
    expect(await changedBy({ token_endpoint: 'https://other.example/token' })).toEqual([
      'token_endpoint: https://id.example.com/token → https://other.example/token',
    ]);
  });

  test('of an endpoint that is new, and of a list', async () => {
    expect(
      await changedBy({ userinfo_endpoint: 'https://id.example.com/me', scopes_supported: undefined }),
    ).toEqual(['scopes_supported: openid → none', 'userinfo_endpoint: none → https://id.example.com/me']);
  });

  test('of a key names it by its id and thumbprint', async () => {
    expect(await changedBy({}, [{ ...second, kid: 'one', alg: 'RS256' }])).toEqual([
      `key added: kid "one", RS256, thumbprint ${await calculateJwkThumbprint(second)}`,
      `key removed: kid "one", RS256, thumbprint ${await calculateJwkThumbprint(first)}`,
    ]);
  });

  test('is also another id of the same key', async () => {
    expect(await changedBy({}, [{ ...first, kid: 'two', alg: 'RS256' }])).toHaveLength(2);
  });

  test('of what a sign-in does not depend on is none', async () => {
    expect(await changedBy({ claims_supported: [] })).toEqual([]);
  });
});
