import { quoted, shown } from '../graph/values/go.ts';
import { checkBoundClaims } from './bound-claims.ts';
import { type Claims, claim, listOf, own } from './claims.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';
import type { LoginRole } from './login-role.ts';
import { openSession } from './session.ts';

/** The identity and policies of a successful sign-in, from the token and the role. */
export interface SignedIn {
  /** Name of the alias: the user claim. */
  name: string;
  /** The role, and what `claim_mappings` took from the claims. */
  metadata: Record<string, string>;
  /** Names on the provider's side; none where the role reads no groups. */
  groups: string[];
  /** The policies of the role, with claims filled in if the role says so. */
  policies: string[];
}

/** Knows more of a person than the token says. Used if the provider config of a method names one. */
export interface Directory {
  /**
   * The claims with what the directory tells of the person, for `claim_mappings` and `bound_claims`.
   *
   * @throws LoginRefused at step `claim_mappings`
   */
  withUserInfo(role: LoginRole, claims: Claims): Promise<Claims>;
  /**
   * The claims with the person's groups in the role's `groups_claim`. Asked for roles that have one.
   *
   * @throws LoginRefused at step `groups`
   */
  withGroups(role: LoginRole, claims: Claims): Promise<Claims>;
}

/**
 * The identity that a role gives the verified claims of a token or of an OIDC sign-in.
 *
 * @throws LoginRefused from step `user_claim` on
 */
export async function identify(role: LoginRole, verified: Claims, directory?: Directory): Promise<SignedIn> {
  const quotedClaim = quoted(role.userClaim);
  const user = role.userClaimJsonPointer ? claim(verified, role.userClaim) : own(verified, role.userClaim);
  if (user === undefined || user === null) {
    throw new LoginRefused(
      LoginReason.userClaimMissing,
      `claim ${quotedClaim} not found in token`,
      role.userClaim,
    );
  }
  if (typeof user !== 'string') {
    throw new LoginRefused(
      LoginReason.userClaimNotText,
      `claim ${quotedClaim} could not be converted to string`,
      role.userClaim,
    );
  }
  let claims = (await directory?.withUserInfo(role, verified)) ?? verified;
  const metadata = { ...mapClaims(role.claimMappings ?? {}, claims), role: role.name };
  if (role.groupsClaim) claims = (await directory?.withGroups(role, claims)) ?? claims;
  const groups = role.groupsClaim ? groupsOf(role.groupsClaim, claims) : [];
  checkBoundClaims(role, claims);
  return { name: user, metadata, groups, policies: openSession(role, claims, user) };
}

/**
 * The metadata that a role takes from the claims. A claim that is not there is left out.
 *
 * @throws LoginRefused at step `claim_mappings` for a claim that is no text
 */
function mapClaims(mappings: Record<string, string>, claims: Claims): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [source, target] of Object.entries(mappings)) {
    const value = claim(claims, source);
    if (value === undefined) continue;
    if (typeof value !== 'string') {
      throw new LoginRefused(
        LoginReason.mappedClaimNotText,
        `error converting claim '${source}' to string`,
        source,
      );
    }
    metadata[target] = value;
  }
  return metadata;
}

/**
 * The names of the groups that the claim gives; one text is a list of one, empty names are left out.
 *
 * @throws LoginRefused at step `groups`
 */
function groupsOf(name: string, claims: Claims): string[] {
  const refused = (reason: LoginReason, message: string) => new LoginRefused(reason, message, name);
  const value = claim(claims, name);
  const quotedName = quoted(name);
  if (value === undefined) {
    throw refused(
      LoginReason.groupsMissing,
      `failed to fetch groups: ${quotedName} claim not found in token`,
    );
  }
  const groups = listOf(value);
  if (groups === undefined) {
    throw refused(LoginReason.groupsMalformed, `${quotedName} claim could not be converted to string list`);
  }
  const wrong = groups.find((group) => typeof group !== 'string');
  if (wrong !== undefined) {
    throw refused(
      LoginReason.groupsMalformed,
      `value ${typeof value === 'number' ? BigInt(value) : shown(wrong)} in groups claim could not be parsed as string`,
    );
  }
  return groups.filter((group) => group !== '') as string[];
}
