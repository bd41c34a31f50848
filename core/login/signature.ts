import { compactVerify } from 'jose';
import type { Claims } from './claims.ts';
import { parseCompactToken } from './compact-token.ts';
import { fits, type KeySet } from './key-set.ts';
import { LoginRefused, LoginStep } from './login-refused.ts';

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
  const { header, claims } = parseCompactToken(token, limit);
  const { source, keys: all } = await keys(header.kid);
  const fitting = all.filter(
    (key) =>
      signingAlgorithms.includes(header.alg) &&
      fits(key, header.alg) &&
      (header.kid === undefined || key.id === undefined || key.id === header.kid),
  );
  for (const { key } of fitting) {
    const verified = await compactVerify(token, key, { algorithms: [header.alg] }).catch(() => undefined);
    if (verified === undefined) continue;
    if (!algorithms.includes(header.alg)) {
      throw refused('invalid algorithm (alg) header parameter: token signed with unexpected algorithm');
    }
    return claims;
  }
  throw refused(
    `error verifying token signature: ${
      source === 'configured'
        ? 'no known key successfully validated the token signature'
        : 'failed to verify id token signature'
    }`,
  );
}

function refused(message: string): LoginRefused {
  return new LoginRefused(LoginStep.token, `error validating token: ${message}`);
}
