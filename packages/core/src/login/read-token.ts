import type { AuthMethod } from '../graph/resources/auth-method.ts';
import { signingAlgorithms } from '../graph/resources/checks.ts';
import type { Claims } from './claims.ts';
import { claimsOf, MalformedToken, malformed, parseCompactToken, type TokenRules } from './compact-token.ts';
import { keyFromPem, type VerificationKey } from './key-set.ts';
import { LoginRefused } from './login-refused.ts';
import { type Keys, verifySignature } from './signature.ts';
import type { FieldChange } from './smallest-fixes.ts';

/** A token, as far as it can be trusted. */
interface ReadToken {
  claims: Claims;
  signature: 'verified' | 'refused' | 'not checked';
  refused?: LoginRefused;
  /** Why the signature could not be checked. */
  problem?: string;
  /** What would let its signature pass. */
  fixes: FieldChange[][];
}

/**
 * Reads a token and checks its signature, if the keys are known.
 *
 * @param keys read by the same rules; undefined if they may not be fetched
 */
export async function readToken(
  token: string,
  keys: Keys | undefined,
  { config, type }: AuthMethod,
  rules: TokenRules,
): Promise<ReadToken> {
  const { claims = {}, algorithm, refused } = unverified(token, rules);
  if (keys === undefined) {
    if (refused !== undefined) return { claims, signature: 'refused', refused, fixes: [] };
    return {
      claims,
      signature: 'not checked',
      fixes: [],
      problem: 'The signature was not checked: the keys are the issuer’s. --live fetches them.',
    };
  }
  const byDefault = type === 'oidc' ? ['RS256'] : signingAlgorithms;
  const algorithms = config.jwtSupportedAlgs?.length ? config.jwtSupportedAlgs : byDefault;
  try {
    return {
      claims: await verifySignature(token, keys, algorithms, rules),
      signature: 'verified',
      fixes: [],
    };
  } catch (error) {
    if (error instanceof LoginRefused) {
      const passes = await verifySignature(token, keys, [...algorithms, algorithm], rules).then(
        () => true,
        () => false,
      );
      const text = `add ${algorithm} to jwtSupportedAlgs`;
      const fixes: FieldChange[][] = passes ? [[{ of: 'method', field: 'jwtSupportedAlgs', text }]] : [];
      return { claims, signature: 'refused', refused: error, fixes };
    }
    const problem = `The signature was not checked: ${(error as Error).message}`;
    return { claims, signature: 'not checked', problem, fixes: [] };
  }
}

/** The claims and algorithm of a token, without a check of its signature. */
function unverified(
  token: string,
  rules: TokenRules,
): { claims?: Claims; algorithm: string; refused?: LoginRefused } {
  try {
    const { header, payload } = parseCompactToken(token, rules);
    const claims = claimsOf(payload, rules, true);
    if (claims !== undefined) return { claims, algorithm: header.alg };
    return { algorithm: header.alg, refused: malformed('the payload is not a JSON object') };
  } catch (error) {
    if (error instanceof MalformedToken) return { algorithm: '', refused: malformed(error.message) };
    throw error;
  }
}

/** Asks the issuer of a method for its keys. */
export type ReadPublishedKeys = (
  config: AuthMethod['config'],
  rules: TokenRules,
) => Promise<VerificationKey[]>;

/** The keys of a method: configured ones, or else those of its issuer, if these may be fetched. */
export function keysOf(
  { config }: AuthMethod,
  readPublished: ReadPublishedKeys | undefined,
  rules: TokenRules,
): Keys | undefined {
  if (config.jwtValidationPubkeys?.length) {
    const keys = config.jwtValidationPubkeys.flatMap((pem) => keyFromPem(pem, rules) ?? []);
    return () => ({ source: 'configured', keys });
  }
  if (readPublished === undefined) return undefined;
  let published: Promise<VerificationKey[]> | undefined;
  return async () => {
    published ??= readPublished(config, rules);
    return { source: 'published', keys: await published };
  };
}
