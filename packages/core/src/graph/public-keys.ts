import type { JWK } from 'jose';
import { isSigning, jwksDocument } from './kinds/kind.ts';
import { GatehouseError } from './values/errors.ts';
import { shallowJsonIn } from './values/json.ts';

/** The algorithm for a key without `alg` (RFC 7517 makes it optional), by curve or type. */
const algorithms: Record<string, string> = {
  RSA: 'RS256',
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};

/** Whether a JWK may verify signatures. One whose `use` and `key_ops` contradict each other may not. */
export function isForSignatures({ use, key_ops: operations }: { use?: unknown; key_ops?: unknown }): boolean {
  if (use !== undefined && use !== 'sig') return false;
  if (operations === undefined) return true;
  if (!Array.isArray(operations) || !operations.includes('verify')) return false;
  if (new Set(operations).size < operations.length) return false;
  return use === undefined || operations.every((operation) => operation === 'verify' || operation === 'sign');
}

/** Algorithms of public signing keys (RFC 7518, 3.1; RFC 8037). */
const signs = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

const allowed = 'a public RSA, EC or Ed25519 signing key';

/** A document of public keys (RFC 7517, section 5). */
export interface JwksDocument {
  keys: JWK[];
}

/** The JWKS document that a text holds; undefined where it holds something else. */
export function jwksFrom(text: string): JwksDocument | undefined {
  return jwksDocument.safeParse(shallowJsonIn(text)).data as JwksDocument | undefined;
}

/**
 * Converts the signing keys of a JWKS document to PEM, for `jwt_validation_pubkeys` (docs/inside/specification.md B-4,
 * method 2). Keys that are published for something else are left out.
 *
 * @throws GatehouseError `jwk_invalid` for a key that is not a public signing key; the error does not repeat the key.
 */
export async function publicKeysFromJwks(jwks: JwksDocument): Promise<string[]> {
  // Most processes have no keys to convert.
  const { exportSPKI, importJWK } = await import('jose');
  const pems = await Promise.all(
    jwks.keys.map(async (jwk, index) => {
      if (!isForSignatures(jwk) || !signs.test(jwk.alg ?? 'RS256')) return [];
      if (isSigning(jwk))
        throw new GatehouseError('jwk_invalid.private', { where: `keys[${index}]`, allowed });
      try {
        const key = await importJWK(jwk, jwk.alg ?? algorithms[jwk.crv ?? jwk.kty ?? ''], {
          extractable: true,
        });
        if (key instanceof Uint8Array) throw new TypeError('not a public key');
        return [await exportSPKI(key)];
      } catch (cause) {
        throw new GatehouseError('jwk_invalid', { where: `keys[${index}]`, allowed, cause });
      }
    }),
  );
  if (pems.every((pem) => pem.length === 0)) {
    throw new GatehouseError('jwk_invalid.none', { where: 'keys', allowed });
  }
  return pems.flat();
}
