import { createPublicKey, type KeyObject } from 'node:crypto';

/** A public key that signatures are verified with. */
export interface VerificationKey {
  key: KeyObject;
  /** The id that its issuer gave it; none for a key that was configured. */
  id?: string;
}

/** The keys of an auth method: configured with it, or published by its issuer. */
export interface KeySet {
  source: 'configured' | 'published';
  keys: VerificationKey[];
}

/** Key types by which signatures are made and verified: RSA, EC on the NIST curves, Ed25519. */
const types = ['rsa', 'ec', 'ed25519'];

/**
 * Reads a public key, or the key of a certificate, from PEM.
 *
 * @returns undefined for what is none.
 */
export function keyFromPem(pem: string): VerificationKey | undefined {
  // A private key would be read as well, and then lie in a configuration that anyone with the right can read.
  if (!/-----BEGIN (?:(?:RSA |EC )?PUBLIC KEY|CERTIFICATE)-----/.test(pem)) return undefined;
  return readable(() => ({ key: createPublicKey(pem) }));
}

/**
 * The verification keys of a JWKS document. Keys for encryption, of another type or damaged are left out: one such
 * key must not keep everyone from signing in.
 *
 * @returns undefined for what is no JWKS document.
 */
export function keysFromJwks(document: unknown): VerificationKey[] | undefined {
  const keys = (document as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) return undefined;
  return keys.flatMap((jwk) => {
    if (jwk?.use !== undefined && jwk.use !== 'sig') return [];
    const { kty, n, e, crv, x, y, kid } = jwk ?? {};
    const read = readable(() => ({ key: createPublicKey({ key: { kty, n, e, crv, x, y }, format: 'jwk' }) }));
    return read === undefined ? [] : [{ ...read, ...(typeof kid === 'string' ? { id: kid } : {}) }];
  });
}

function readable(read: () => VerificationKey): VerificationKey | undefined {
  try {
    const found = read();
    return types.includes(found.key.asymmetricKeyType ?? '') ? found : undefined;
  } catch {
    return undefined;
  }
}

const curves: Record<string, string> = { ES256: 'prime256v1', ES384: 'secp384r1', ES512: 'secp521r1' };

/** Whether signatures of this algorithm are made by keys of this type and curve, and by no others. */
export function fits({ key }: VerificationKey, algorithm: string): boolean {
  if (/^[RP]S(256|384|512)$/.test(algorithm)) return key.asymmetricKeyType === 'rsa';
  if (algorithm === 'EdDSA') return key.asymmetricKeyType === 'ed25519';
  const curve = curves[algorithm];
  return curve !== undefined && key.asymmetricKeyDetails?.namedCurve === curve;
}
