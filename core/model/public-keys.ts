import { exportSPKI, importJWK, type JWK } from 'jose';
import { GatehouseError } from './values/errors.ts';

/** The algorithm for a key without `alg` (RFC 7517 makes it optional), by curve or type. */
const algorithms: Record<string, string> = {
  RSA: 'RS256',
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};

/**
 * Converts the keys of a JWKS document to PEM, for `jwt_validation_pubkeys` (interface.md B-4, method 2).
 *
 * @throws GatehouseError `jwk_invalid` for a key that is not a public signing key; the error does not repeat the key.
 */
export async function publicKeysFromJwks(jwks: { keys: JWK[] }): Promise<string[]> {
  return await Promise.all(
    jwks.keys.map(async (jwk, index) => {
      try {
        if (jwk.d !== undefined || jwk.kty === 'oct') throw new TypeError('not a public key');
        const key = await importJWK(jwk, jwk.alg ?? algorithms[jwk.crv ?? jwk.kty ?? ''], {
          extractable: true,
        });
        if (key instanceof Uint8Array) throw new TypeError('not a public key');
        return await exportSPKI(key);
      } catch (cause) {
        throw new GatehouseError({
          code: 'jwk_invalid',
          where: `keys[${index}]`,
          what: 'cannot convert this key of the JWKS document to PEM',
          allowed: 'a public RSA, EC or Ed25519 signing key',
          fix: 'use the document at the cluster’s jwks_uri, unchanged',
          cause,
        });
      }
    }),
  );
}
