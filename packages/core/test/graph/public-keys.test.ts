import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { JWK } from 'jose';
import { publicKeysFromJwks } from '../../src/graph/public-keys.ts';

const pairs = {
  'RSA of 2048 bits': generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'EC P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'EC P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  Ed25519: generateKeyPairSync('ed25519'),
};
const jwkOf = (pair: (typeof pairs)[keyof typeof pairs]) => pair.publicKey.export({ format: 'jwk' }) as JWK;

describe('publicKeysFromJwks (docs/inside/specification.md B-4, method 2)', () => {
  test.each(Object.entries(pairs))(
    'turns a key of %s into the PEM that node:crypto makes of it',
    async (_, pair) => {
      const [pem] = await publicKeysFromJwks({ keys: [jwkOf(pair)] });
      expect(createPublicKey(pem!).equals(pair.publicKey)).toBe(true);
      expect(pem!.trim()).toBe(pair.publicKey.export({ type: 'spki', format: 'pem' }).toString().trim());
    },
  );

  const signing = jwkOf(pairs['EC P-256']);
  test.each<[string, Partial<JWK>]>([
    ['for encryption', { use: 'enc' }],
    ['without verify among its operations', { key_ops: ['deriveBits'] }],
    ['of an algorithm of encryption', { alg: 'RSA-OAEP' }],
    ['of a shared secret’s algorithm', { alg: 'HS256' }],
  ])('leaves out a key %s: as PEM it would verify signatures', async (_, spelling) => {
    const other = { ...jwkOf(pairs['RSA of 2048 bits']), ...spelling };
    const [pem, ...rest] = await publicKeysFromJwks({ keys: [other, signing] });
    expect(createPublicKey(pem!).equals(pairs['EC P-256'].publicKey)).toBe(true);
    expect(rest).toEqual([]);
    await expect(publicKeysFromJwks({ keys: [other] })).rejects.toMatchObject({ code: 'jwk_invalid' });
  });

  test('keeps the order of the document', async () => {
    const keys = Object.values(pairs);
    const pems = await publicKeysFromJwks({ keys: keys.map(jwkOf) });
    expect(pems.map((pem, index) => createPublicKey(pem).equals(keys[index]!.publicKey))).toEqual(
      keys.map(() => true),
    );
  });

  const rsa = jwkOf(pairs['RSA of 2048 bits']);
  test.each<[string, JWK]>([
    ['a private key', pairs['EC P-256'].privateKey.export({ format: 'jwk' }) as JWK],
    ['a symmetric key', { kty: 'oct', k: 'c2VjcmV0LW9mLXRoZS1zZXJ2aWNl' }],
    ['a key of an unknown type', { kty: 'XYZ' }],
    ['a key that lacks its modulus', { kty: 'RSA', e: 'AQAB' }],
  ])('refuses %s by its place and does not repeat it', async (_, jwk) => {
    const refusal = publicKeysFromJwks({ keys: [rsa, jwk] });
    await expect(refusal).rejects.toMatchObject({ code: 'jwk_invalid' });
    await refusal.catch((error: Error) => {
      expect(error.message).toContain('keys[1]');
      if (jwk.d !== undefined) expect(error.message).toContain('rotate it');
      for (const value of [jwk.d, jwk.k]) if (value !== undefined) expect(error.message).not.toContain(value);
    });
  });
});
