import { checkBoundClaims } from './bound-claims.ts';
import { mapClaims } from './claim-mappings.ts';
import { type Claims, claim, own } from './claims.ts';
import type { Directory } from './directory.ts';
import { groupsOf } from './groups.ts';
import { LoginRefused, LoginStep } from './login-refused.ts';
import type { LoginConfig, LoginRole } from './login-role.ts';
import type { Keys } from './signature.ts';
import { verifyToken } from './verify-token.ts';

/** Who signed in, as far as the token and the role say. */
export interface SignedIn {
  /** Name of the alias: the user claim. */
  name: string;
  /** The role, and what `claim_mappings` took from the claims. */
  metadata: Record<string, string>;
  /** Names on the provider's side; none where the role reads no groups. */
  groups: string[];
}

export interface SignInArgs {
  /** Undefined for a method that was never configured. */
  config: (LoginConfig & { defaultRole?: string }) | undefined;
  /** Name of the role; empty for the method's default role. */
  roleName: string;
  /** The role of that name, where there is one. */
  role: (name: string) => LoginRole | undefined;
  token: string;
  keys: Keys;
  /** Asked for what the token does not say. Defaults to none. */
  directory?: Directory;
  /** Whether the caller's address is one of the role's `token_bound_cidrs`. */
  addressAllowed: (cidrs: string[]) => boolean;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/**
 * Whether a token signs in to a role, and as whom, or why not: the checks of facts/jwt-oidc.md ("JWT login, in
 * this order"), which are those of openbao builtin/credential/jwt/path_login.go.
 */
export async function signIn(args: SignInArgs): Promise<SignedIn | LoginRefused> {
  try {
    const { config, token, keys, now } = args;
    if (config === undefined) {
      throw new LoginRefused(LoginStep.role, 'could not load configuration');
    }
    const role = findRole(args.roleName || config.defaultRole, args.role);
    if (role.roleType === 'oidc') {
      throw new LoginRefused(LoginStep.request, 'role with oidc role_type is not allowed');
    }
    if (token === '') throw new LoginRefused(LoginStep.request, 'missing token');
    if (role.tokenBoundCidrs?.length && !args.addressAllowed(role.tokenBoundCidrs)) {
      throw new LoginRefused(LoginStep.sourceAddress, 'permission denied');
    }
    const claims = await verifyToken({ token, config, role, keys, now });
    const audiences = claim(claims, 'aud');
    if (Array.isArray(audiences) && audiences.length > 0 && !role.boundAudiences?.length) {
      throw new LoginRefused(
        LoginStep.audience,
        'audience claim found in JWT but no audiences bound to the role',
      );
    }
    return await identify(role, claims, args.directory);
  } catch (error) {
    if (error instanceof LoginRefused) return error;
    throw error;
  }
}

/** @throws LoginRefused at step `role` */
export function findRole(name: string | undefined, role: SignInArgs['role']): LoginRole {
  if (!name) throw new LoginRefused(LoginStep.role, 'missing role');
  const found = role(name);
  if (found !== undefined) return found;
  throw new LoginRefused(LoginStep.role, `role ${JSON.stringify(name)} could not be found`);
}

/**
 * Who the verified claims of a token, or of an OIDC sign-in, are for this role.
 *
 * @throws LoginRefused from step `user_claim` on
 */
export async function identify(role: LoginRole, verified: Claims, directory?: Directory): Promise<SignedIn> {
  const quoted = JSON.stringify(role.userClaim);
  const user = role.userClaimJsonPointer ? claim(verified, role.userClaim) : own(verified, role.userClaim);
  if (user === undefined || user === null) {
    throw new LoginRefused(LoginStep.userClaim, `claim ${quoted} not found in token`);
  }
  if (typeof user !== 'string') {
    throw new LoginRefused(LoginStep.userClaim, `claim ${quoted} could not be converted to string`);
  }
  let claims = (await directory?.withUserInfo(role, verified)) ?? verified;
  const metadata = { ...mapClaims(role.claimMappings ?? {}, claims), role: role.name };
  if (role.groupsClaim) claims = (await directory?.withGroups(role, claims)) ?? claims;
  const groups = role.groupsClaim ? groupsOf(role.groupsClaim, claims) : [];
  checkBoundClaims(role, claims);
  return { name: user, metadata, groups };
}
