import type { MethodConfig } from '@gatehouse/core/graph';
import type { Claims, TokenRules, VerificationKey } from '@gatehouse/core/login';
import { GatehouseError, parseStrictJson } from '@gatehouse/core/values';
import { readKeys } from '@gatehouse/service-client';
import { ProviderDocuments } from '../open/provider-documents.ts';

/** The keys that the issuer of a method publishes. */
export async function publishedKeys(config: MethodConfig, rules: TokenRules): Promise<VerificationKey[]> {
  const places = await new ProviderDocuments(config).keyPlaces();
  return (await Promise.all(places.map((place) => readKeys(place, rules)))).flat();
}

/**
 * What is presented to be explained, from the texts of a token or of claims.
 *
 * @throws GatehouseError `option_missing`, `claims_invalid`
 */
export function readPresented(presented: {
  token?: string;
  claims?: string;
}): { token: string } | { claims: Claims } {
  if (presented.token !== undefined) return { token: presented.token.trim() };
  if (presented.claims === undefined) {
    throw new GatehouseError('option_missing.token');
  }
  // What was given is never shown: it may be a token after all.
  const invalid = (cause?: unknown) =>
    new GatehouseError('claims_invalid', { allowed: 'for example {"sub": "alice", "aud": "app"}', cause });
  let claims: unknown;
  try {
    claims = parseStrictJson(presented.claims);
  } catch (cause) {
    throw invalid(cause);
  }
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw invalid();
  return { claims: claims as Claims };
}
