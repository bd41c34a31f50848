import { createPublicKey, type KeyObject } from 'node:crypto';
import { isForSignatures } from '../graph/public-keys.ts';
import type { TokenRules } from './compact-token.ts';

/** A public key that signatures are verified with. */
export interface VerificationKey {
  key: KeyObject;
  /** Algorithms of the signatures that the key can verify. */
  algorithms: string[];
  /** The id that its issuer gave it; none for a key that was configured. */
  id?: string;
}

/** The keys of an auth method: configured with it, or published by its issuer. */
export interface KeySet {
  source: 'configured' | 'published';
  keys: VerificationKey[];
}

/** Key types for signatures: RSA, EC on the NIST curves, Ed25519. */
const types = ['rsa', 'ec', 'ed25519'];

/**
 * Reads a public key, or the key of a certificate, from PEM.
 *
 * @param rules By whose rules it may verify. Defaults to our own.
 * @returns undefined for what is not one of these.
 */
export function keyFromPem(pem: string, rules: TokenRules = 'own'): VerificationKey | undefined {
  // A private key would be read as well, and then lie in a configuration that anyone with the right can read.
  if (!/-----BEGIN (?:(?:RSA |EC )?PUBLIC KEY|CERTIFICATE)-----/.test(pem)) return undefined;
  return readable(() => createPublicKey(pem), rules);
}

/**
 * The verification keys of a JWKS document. Keys for encryption, of another type or damaged are left out: one such
 * key must not keep everyone from signing in. By our own rules a key with an `alg`
 * verifies this algorithm only (RFC 7517, 4.2 to 4.4; RFC 8725, 3.1). Real servers ignore `use` and `alg`.
 *
 * @param rules By whose rules they may verify. Defaults to our own.
 * @returns undefined for what is not a JWKS document.
 */
export function keysFromJwks(document: unknown, rules: TokenRules = 'own'): VerificationKey[] | undefined {
  const keys = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) return undefined;
  return keys.flatMap((jwk) => {
    const { kty, n, e, crv, x, y, kid, alg } = jwk ?? {};
    const isStrict = rules === 'own';
    if (isStrict && !isForSignatures(jwk ?? {})) return [];
    const read = readable(() => createPublicKey({ key: { kty, n, e, crv, x, y }, format: 'jwk' }), rules);
    if (read === undefined) return [];
    const isFree = alg === undefined || !isStrict;
    const algorithms = isFree ? read.algorithms : read.algorithms.filter((algorithm) => algorithm === alg);
    if (algorithms.length === 0) return [];
    return [{ key: read.key, algorithms, ...(typeof kid === 'string' ? { id: kid } : {}) }];
  });
}

function readable(read: () => KeyObject, rules: TokenRules): VerificationKey | undefined {
  try {
    const key = read();
    const isKnown = types.includes(key.asymmetricKeyType ?? '');
    return isKnown ? { key, algorithms: algorithmsOf(key, leastModulus[rules]) } : undefined;
  } catch {
    return undefined;
  }
}

const curves: Record<string, string> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };
const rsaAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
/** Bits that an RSA key has at least: RFC 7518, section 3.3; Go's crypto/rsa. */
const leastModulus = { own: 2048, server: 1024 };

/** The algorithms of signatures that are made by keys of this type and curve, and by no others. */
function algorithmsOf(
  { asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject,
  least: number,
): string[] {
  if (type === 'rsa') return (details.modulusLength ?? 0) < least ? [] : rsaAlgorithms;
  if (type === 'ed25519') return ['EdDSA'];
  return [curves[details.namedCurve ?? ''] ?? []].flat();
}
