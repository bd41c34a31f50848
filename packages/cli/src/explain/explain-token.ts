import { type AuthMethod, signingAlgorithms } from '@gatehouse/core/graph';
import {
  type Claims,
  claimsOf,
  type FieldChange,
  type Keys,
  keyFromPem,
  LoginRefused,
  MalformedToken,
  malformed,
  parseCompactToken,
  type TokenRules,
  type VerificationKey,
  verifySignature,
} from '@gatehouse/core/login';
import { GatehouseError, parseStrictJson } from '@gatehouse/core/values';
import { readKeys } from '@gatehouse/service-client';
import { ProviderDocuments } from '../open/provider-documents.ts';

/** A token, as far as it can be trusted. */
export interface ReadToken {
  claims: Claims;
  signature: 'verified' | 'refused' | 'not checked';
  refused?: LoginRefused;
  /** Why the signature could not be checked. */
  problem?: string;
  /** What would let its signature pass. */
  fixes: FieldChange[][];
}

/** @param keys read by the same rules; undefined where they may not be asked for. */
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

/** What a token says by itself. */
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

/** The keys of a method: those in its configuration, or, where it may be asked, those of its issuer. */
export function keysOf({ config }: AuthMethod, live: boolean, rules: TokenRules): Keys | undefined {
  if (config.jwtValidationPubkeys?.length) {
    const keys = config.jwtValidationPubkeys.flatMap((pem) => keyFromPem(pem, rules) ?? []);
    return () => ({ source: 'configured', keys });
  }
  if (!live) return undefined;
  let published: Promise<VerificationKey[]> | undefined;
  return async () => {
    published ??= publishedKeys(config, rules);
    return { source: 'published', keys: await published };
  };
}

async function publishedKeys(config: AuthMethod['config'], rules: TokenRules): Promise<VerificationKey[]> {
  const places = await new ProviderDocuments(config).keyPlaces();
  return (await Promise.all(places.map((place) => readKeys(place, rules)))).flat();
}

/**
 * What is presented to be explained, from the texts of a token or of claims.
 *
 * @throws GatehouseError `option_missing`, `claims_invalid`
 */
export function readPresented(given: {
  token?: string;
  claims?: string;
}): { token: string } | { claims: Claims } {
  if (given.token !== undefined) return { token: given.token.trim() };
  if (given.claims === undefined) {
    throw new GatehouseError('option_missing.token');
  }
  // What was given is never shown: it may be a token after all.
  const invalid = (cause?: unknown) =>
    new GatehouseError('claims_invalid', { allowed: 'for example {"sub": "alice", "aud": "app"}', cause });
  let claims: unknown;
  try {
    claims = parseStrictJson(given.claims);
  } catch (cause) {
    throw invalid(cause);
  }
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw invalid();
  return { claims: claims as Claims };
}
