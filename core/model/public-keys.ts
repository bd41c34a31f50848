import { exportSPKI, importJWK, type JWK } from 'jose';
import { GatehouseError } from './values/errors.ts';

/** The algorithm that a key is for when it names none (RFC 7517 lets it): by its curve, or its type. */
const algorithms: Record<string, string> = {
  RSA: 'RS256',
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};

/**
 * Turns a JWKS document's keys into PEM, as `jwt_validation_pubkeys` wants them (interface.md B-4, method 2).
 *
 * @throws GatehouseError `jwk_invalid` for a key that is no public signing key; the key is not repeated.
 */
export async function publicKeysFromJwks(jwks: { keys: JWK[] }): Promise<string[]> {
  return await Promise.all(
    jwks.keys.map(async (jwk, index) => {
      try {
        if (jwk.d !== undefined || jwk.kty === 'oct') throw new TypeError('this is no public key');
        const key = await importJWK(jwk, jwk.alg ?? algorithms[jwk.crv ?? jwk.kty ?? ''], {
          extractable: true,
        });
        if (key instanceof Uint8Array) throw new TypeError('this is no public key');
        return await exportSPKI(key);
      } catch (cause) {
        throw new GatehouseError({
          code: 'jwk_invalid',
          where: `keys[${index}]`,
          what: 'this key of the JWKS document cannot be turned into PEM',
          allowed: 'a public RSA, EC or Ed25519 signing key',
          fix: 'give the document found at the cluster’s jwks_uri, unchanged',
          cause,
        });
      }
    }),
  );
}
