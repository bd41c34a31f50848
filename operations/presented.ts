import type { Claims } from '../core/login/claims.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { parseStrictJson } from '../core/model/values/strict-json.ts';

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
    throw new GatehouseError({
      code: 'option_missing',
      what: 'There is nothing to explain.',
      fix: 'Give a token with --token FILE, or claims with --claims FILE; - is standard input.',
    });
  }
  // What was given is never shown: it may be a token after all.
  const invalid = (cause?: unknown) =>
    new GatehouseError({
      code: 'claims_invalid',
      what: 'The claims are not a JSON object, or name a claim twice.',
      allowed: 'for example {"sub": "alice", "aud": "app"}',
      fix: 'A token is for --token.',
      cause,
    });
  let claims: unknown;
  try {
    claims = parseStrictJson(given.claims);
  } catch (cause) {
    throw invalid(cause);
  }
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) throw invalid();
  return { claims: claims as Claims };
}
