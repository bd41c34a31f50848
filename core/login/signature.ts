import { constants, type KeyObject, verify } from 'node:crypto';
import type { Claims } from './claims.ts';
import { parseCompactToken } from './compact-token.ts';
import type { KeySet } from './key-set.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';

/** The algorithms of signatures that a token may have; none with a shared secret. */
export const signingAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
];

/** Gives the keys of an auth method. `id` is the key id of the token's header, for an issuer that changes keys. */
export type Keys = (id: string | undefined) => KeySet | Promise<KeySet>;

/**
 * Verifies the signature of a token with the keys of its method and nothing else: keys and addresses of keys in
 * the token's own header are left out of account, and each key serves the algorithms of its own type only.
 *
 * @param limit Bytes that the token may have. Defaults to `tokenLimit`.
 * @throws LoginRefused at step `token`
 */
export async function verifySignature(
  token: string,
  keys: Keys,
  algorithms: string[],
  limit?: number,
): Promise<Claims> {
  const { header, claims, signed, signature } = parseCompactToken(token, limit);
  const { source, keys: all } = await keys(header.kid);
  const fitting = all.filter(
    (key) =>
      key.algorithms.includes(header.alg) &&
      (header.kid === undefined || key.id === undefined || key.id === header.kid),
  );
  for (const { key } of fitting) {
    if (!isSignature(signature, signed, header.alg, key)) continue;
    if (!algorithms.includes(header.alg)) {
      throw refused(
        LoginReason.algorithm,
        'invalid algorithm (alg) header parameter: token signed with unexpected algorithm',
      );
    }
    return claims;
  }
  throw refused(
    LoginReason.signature,
    `error verifying token signature: ${
      source === 'configured'
        ? 'no known key successfully validated the token signature'
        : 'failed to verify id token signature'
    }`,
  );
}

/**
 * Whether these are the bytes of a signature (RFC 7518, section 3; RFC 8037). Node's own verification, and at once: by
 * way of its Web Crypto, which wraps the key and goes round by another thread, a login cost a third more.
 */
function isSignature(signature: Buffer, signed: string, algorithm: string, key: KeyObject): boolean {
  const hash = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`;
  const bytes = Buffer.from(signed, 'latin1');
  if (algorithm.startsWith('ES')) return verify(hash, bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
  if (!algorithm.startsWith('PS')) return verify(hash, bytes, key, signature);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return verify(hash, bytes, { key, padding, saltLength }, signature);
}

function refused(reason: LoginReason, message: string): LoginRefused {
  return new LoginRefused(reason, `error validating token: ${message}`);
}
