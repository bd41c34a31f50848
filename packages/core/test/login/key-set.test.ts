import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { TokenRules } from '../../src/login/compact-token.ts';
import { keyFromPem, keysFromJwks } from '../../src/login/key-set.ts';

const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).publicKey;
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey;
const pemOf = (key: KeyObject, type: 'spki' | 'pkcs1' = 'spki') =>
  key.export({ type, format: 'pem' }) as string;
const common = rsa(2048);

// RFC 7518, sections 3.1 and 3.3; RFC 8037, section 3.1.
describe('a key verifies the algorithms of its type', () => {
  test.each<[string, () => KeyObject, TokenRules, string[] | undefined]>([
    ['RSA of 2048 bits', () => common, 'own', rsaAlgorithms],
    ['RSA of 2047 bits', () => rsa(2047), 'own', []],
    ['RSA of 1024 bits', () => rsa(1024), 'server', rsaAlgorithms],
    ['RSA of 1023 bits', () => rsa(1023), 'server', []],
    ['P-256', () => ec('P-256'), 'own', ['ES256']],
    ['P-384', () => ec('P-384'), 'own', ['ES384']],
    ['P-521', () => ec('P-521'), 'own', ['ES512']],
    ['a curve of other uses', () => ec('secp256k1'), 'own', []],
    ['Ed25519', () => generateKeyPairSync('ed25519').publicKey, 'own', ['EdDSA']],
    ['Ed448', () => generateKeyPairSync('ed448').publicKey, 'own', undefined],
    ['a key for agreement', () => generateKeyPairSync('x25519').publicKey, 'own', undefined],
    [
      'RSA for one scheme alone',
      () => generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey,
      'own',
      undefined,
    ],
  ])('%s, by %s rules', (_, key, rules, algorithms) => {
    expect(keyFromPem(pemOf(key()), rules)?.algorithms).toEqual(algorithms);
  });

  test('by our own rules where none are named', () => {
    expect(keyFromPem(pemOf(rsa(1024)))?.algorithms).toEqual([]);
    expect(keysFromJwks({ keys: [rsa(1024).export({ format: 'jwk' })] })).toEqual([]);
  });
});

describe('a text', () => {
  test('with an RSA key in its older form is read', () => {
    expect(keyFromPem(pemOf(common, 'pkcs1'))?.key.equals(common)).toBe(true);
  });

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  test.each([
    '',
    'x',
    '-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----',
    // It would be read as a public one, and lie in a configuration.
    privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  ])('%j is no public key', (text) => {
    expect(keyFromPem(text)).toBeUndefined();
  });
});

// RFC 7517, 4.2 to 4.5.
describe('a published key', () => {
  const jwk = common.export({ format: 'jwk' });
  const read = (fields: object, rules?: TokenRules) =>
    keysFromJwks({ keys: [{ ...jwk, ...fields }] }, rules)?.map(({ id, algorithms }) => ({ id, algorithms }));

  test('has the id that its issuer gave it', () => {
    expect(read({ kid: 'one' })).toEqual([{ id: 'one', algorithms: rsaAlgorithms }]);
  });

  test.each([[7], [null], [undefined]])('with the id %j has none', (kid) => {
    const [key] = keysFromJwks({ keys: [{ ...jwk, kid }] }) ?? [];
    expect(key).not.toHaveProperty('id');
  });

  test('verifies the algorithm alone that it names', () => {
    expect(read({ alg: 'PS256' })).toEqual([{ algorithms: ['PS256'] }]);
    expect(read({ alg: 'ES256' })).toEqual([]);
  });

  test('for encryption is left out', () => {
    expect(read({ use: 'enc' })).toEqual([]);
    expect(read({ use: 'sig' })).toHaveLength(1);
  });

  test('that is damaged or of another type is left out, and the others stay', () => {
    const keys = [null, { kty: 'oct', k: 'AA' }, { ...jwk, n: 7 }, { ...jwk, kid: 'one' }];
    expect(keysFromJwks({ keys })?.map(({ id }) => id)).toEqual(['one']);
  });

  test.each([[null], [{}], [{ keys: 'x' }], ['x']])('is in a document, which %j is not', (document) => {
    expect(keysFromJwks(document)).toBeUndefined();
  });

  test('is for everything on real servers', () => {
    expect(read({ use: 'enc', alg: 'PS256' }, 'server')).toEqual([{ algorithms: rsaAlgorithms }]);
    expect(keysFromJwks({ keys: [null] }, 'server')).toEqual([]);
  });
});
