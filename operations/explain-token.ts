import type { Claims } from '../core/login/claims.ts';
import { type CompactToken, parseCompactToken } from '../core/login/compact-token.ts';
import { type KeySet, keyFromPem } from '../core/login/key-set.ts';
import { LoginRefused } from '../core/login/login-refused.ts';
import { type Keys, signingAlgorithms, verifySignature } from '../core/login/signature.ts';
import type { FieldChange } from '../core/login/ways-in.ts';
import type { AuthMethod } from '../core/model/resources/auth-method.ts';
import { Issuers } from '../embedded/secrets/auth/issuers.ts';

/** A token, as far as it can be trusted. */
export interface ReadToken {
  claims: Claims;
  signature: 'verified' | 'refused' | 'not checked';
  refused?: LoginRefused;
  /** Why the signature could not be checked. */
  problem?: string;
  /** What would let its signature pass. */
  ways: FieldChange[][];
}

export async function readToken(
  token: string,
  keys: Keys | undefined,
  { config, type }: AuthMethod,
): Promise<ReadToken> {
  let parsed: CompactToken;
  try {
    parsed = parseCompactToken(token);
  } catch (error) {
    if (error instanceof LoginRefused) return { claims: {}, signature: 'refused', refused: error, ways: [] };
    throw error;
  }
  const { claims, header } = parsed;
  if (keys === undefined) {
    return {
      claims,
      signature: 'not checked',
      ways: [],
      problem: 'The signature was not checked: the keys are the issuer’s. --live fetches them.',
    };
  }
  const byDefault = type === 'oidc' ? ['RS256'] : signingAlgorithms;
  const algorithms = config.jwtSupportedAlgs?.length ? config.jwtSupportedAlgs : byDefault;
  try {
    await verifySignature(token, keys, algorithms);
    return { claims, signature: 'verified', ways: [] };
  } catch (error) {
    if (error instanceof LoginRefused) {
      const passes = await verifySignature(token, keys, [...algorithms, header.alg]).then(
        () => true,
        () => false,
      );
      const text = `add ${header.alg} to jwtSupportedAlgs`;
      const ways: FieldChange[][] = passes ? [[{ of: 'method', field: 'jwtSupportedAlgs', text }]] : [];
      return { claims, signature: 'refused', refused: error, ways };
    }
    const problem = `The signature was not checked: ${(error as Error).message}`;
    return { claims, signature: 'not checked', problem, ways: [] };
  }
}

/** The keys of a method: those in its configuration, or, where it may be asked, those of its issuer. */
export function keysOf({ config }: AuthMethod, live: boolean): Keys | undefined {
  if (config.jwtValidationPubkeys?.length) {
    const keys = config.jwtValidationPubkeys.flatMap((pem) => keyFromPem(pem) ?? []);
    return () => ({ source: 'configured', keys });
  }
  if (!live) return undefined;
  const issuers = new Issuers();
  return async (id): Promise<KeySet> => {
    const now = 0n;
    if (config.jwksUrl) return issuers.keys({ url: config.jwksUrl, caPem: config.jwksCaPem ?? '' }, now, id);
    const issuer = { url: config.oidcDiscoveryUrl ?? '', caPem: config.oidcDiscoveryCaPem ?? '' };
    const { jwks_uri } = await issuers.discovery(issuer, now);
    return issuers.keys({ url: jwks_uri, caPem: issuer.caPem }, now, id);
  };
}
