import { constants, type KeyObject, verify } from 'node:crypto';
import { signingAlgorithms } from '../graph/resources/checks.ts';
import type { Claims } from './claims.ts';
import {
  type CompactToken,
  claimsOf,
  MalformedToken,
  malformed,
  parseCompactToken,
  type TokenRules,
  tokenLimit,
} from './compact-token.ts';
import type { KeySet } from './key-set.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';

/** Gives the keys of an auth method. `id` is the key id of the token's header, for an issuer that changes keys. */
export type Keys = (id: string | undefined) => KeySet | Promise<KeySet>;

/**
 * Verifies the signature of a token with the keys of its method and nothing else: keys and addresses of keys in
 * the token's own header are left out of account, and each key serves the algorithms of its own type only.
 *
 * @param rules By whose rules it is read. Defaults to our own; the keys must have been read by the same.
 * @throws LoginRefused at step `token`
 */
export async function verifySignature(
  token: string,
  keys: Keys,
  algorithms: string[],
  rules: TokenRules = 'own',
): Promise<Claims> {
  return rules === 'own' ? verifyStrictly(token, keys, algorithms) : verifyAsServers(token, keys, algorithms);
}

async function verifyStrictly(token: string, keys: Keys, algorithms: string[]): Promise<Claims> {
  if (token.length > tokenLimit)
    throw malformed(`malformed token: a token may have ${tokenLimit} bytes at most`);
  const parsed = parseStrictly(token);
  const claims = claimsOf(parsed.payload, 'own');
  if (claims === undefined) {
    throw malformed('malformed token: the payload is not a JSON object, or says something twice');
  }
  checkSignature(parsed, await keys(parsed.header.kid), algorithms);
  return claims;
}

function parseStrictly(token: string): CompactToken {
  try {
    return parseCompactToken(token, 'own');
  } catch (error) {
    if (error instanceof MalformedToken) throw malformed(`malformed token: ${error.message}`);
    throw error;
  }
}

/** As hashicorp/cap jwt/keyset.go does it, and coreos/go-oidc for keys that an issuer publishes. */
async function verifyAsServers(token: string, keys: Keys, algorithms: string[]): Promise<Claims> {
  let parsed: CompactToken | undefined;
  let problem = '';
  try {
    parsed = parseCompactToken(token, 'server');
  } catch (error) {
    if (!(error instanceof MalformedToken)) throw error;
    problem = error.message;
  }
  const set = await keys(parsed?.header.kid);
  const isPublished = set.source === 'published';
  if (isPublished && parsed?.isPadded) problem = 'illegal base64 data';
  if (isPublished && parsed !== undefined && !signingAlgorithms.includes(parsed.header.alg)) {
    const expected = signingAlgorithms.map((algorithm) => JSON.stringify(algorithm)).join(' ');
    problem = `unexpected signature algorithm ${JSON.stringify(parsed.header.alg)}; expected [${expected}]`;
  }
  if (parsed === undefined || problem !== '') {
    throw malformed(`${isPublished ? 'oidc: malformed jwt: ' : ''}${problem}`);
  }
  // A configured key verifies only what it can read as well.
  const claims = claimsOf(parsed.payload, 'server', isPublished);
  if (claims === undefined && !isPublished) throw unsigned(set);
  checkSignature(parsed, set, algorithms);
  if (claims === undefined) throw malformed('the payload is not a JSON object');
  return claims;
}

/** @throws LoginRefused at step `token` */
function checkSignature(
  { header, signed, signature, isVerifiable }: CompactToken,
  set: KeySet,
  algorithms: string[],
): void {
  const fitting = set.keys.filter(
    (key) =>
      key.algorithms.includes(header.alg) &&
      (set.source === 'configured' || header.kid === undefined || key.id === header.kid),
  );
  if (!isVerifiable || !fitting.some(({ key }) => isSignature(signature, signed, header.alg, key))) {
    throw unsigned(set);
  }
  if (!algorithms.includes(header.alg)) {
    throw new LoginRefused(
      LoginReason.algorithm,
      'error validating token: invalid algorithm (alg) header parameter: token signed with unexpected algorithm',
    );
  }
}

function unsigned({ source }: KeySet): LoginRefused {
  return new LoginRefused(
    LoginReason.signature,
    `error validating token: error verifying token signature: ${
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
