import { type Claims, claim } from './claims.ts';
import { LoginRefused, LoginStep } from './login-refused.ts';

/**
 * The metadata that a role takes from the claims. A claim that is not there is left out.
 *
 * @throws LoginRefused at step `claim_mappings` for a claim that is no text
 */
export function mapClaims(mappings: Record<string, string>, claims: Claims): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [source, target] of Object.entries(mappings)) {
    const value = claim(claims, source);
    if (value === undefined) continue;
    if (typeof value !== 'string') {
      throw new LoginRefused(LoginStep.claimMappings, `error converting claim '${source}' to string`);
    }
    metadata[target] = value;
  }
  return metadata;
}
