import { quoted } from '../graph/values/go.ts';
import { type Claims, claim, own } from './claims.ts';
import type { TokenRules } from './compact-token.ts';
import { checkIdToken } from './id-token.ts';
import { type Directory, identify, type SignedIn } from './identify.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';
import type { LoginConfig, LoginRole } from './login-role.ts';
import type { Keys } from './signature.ts';
import { checkClaims, verifyToken } from './verify-token.ts';

/** A principal and the method that it tries to sign in at, with any credentials. */
export interface Attempt {
  /** Undefined for a method that was never configured. */
  config: (LoginConfig & { defaultRole?: string }) | undefined;
  /** Name of the role; empty for the method's default role. */
  roleName: string;
  /** The role of that name, where there is one. */
  role: (name: string) => LoginRole | undefined;
  /** Whether the caller's address is one of the role's `token_bound_cidrs`. */
  addressAllowed: (cidrs: string[]) => boolean;
  /** Adds what the token leaves out. Defaults to none. */
  directory?: Directory;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/** A token, and what it is to be read with. */
export interface SignInArgs extends Attempt {
  token: string;
  /** Read by the same rules. */
  keys: Keys;
  /** By whose rules the token is read. Defaults to our own. */
  rules?: TokenRules;
}

/**
 * Signs in to a role with a token, or says why it is refused. The checks are those of
 * docs/inside/measured/sign-in.md#jwt-login-in-this-order (openbao
 * builtin/credential/jwt/path_login.go).
 */
export function signIn(args: SignInArgs): Promise<SignedIn | LoginRefused> {
  return answer(async () => {
    const { token, keys, rules, now } = args;
    const { config, role } = configuredRole(args);
    if (role.roleType === 'oidc') {
      throw new LoginRefused(LoginReason.roleForPeople, 'role with oidc role_type is not allowed');
    }
    if (token === '') throw new LoginRefused(LoginReason.tokenMissing, 'missing token');
    checkAddress(args, role);
    return await admit(args, role, await verifyToken({ token, config, role, keys, rules, now }));
  });
}

/**
 * Whether claims sign in to a role. They were verified elsewhere or not at all, so signature and algorithm are not
 * checked. For an oidc role they are the claims of an ID token, and the checks are those of the callback (openbao
 * builtin/credential/jwt/path_oidc.go).
 */
export function signInByClaims(args: Attempt & { claims: Claims }): Promise<SignedIn | LoginRefused> {
  return answer(async () => {
    const { claims, now } = args;
    const { config, role } = configuredRole(args);
    checkAddress(args, role);
    if (role.roleType === 'oidc') {
      if (!config.oidcDiscoveryUrl || !config.oidcClientId) {
        throw new LoginRefused(
          LoginReason.methodNotConfigured,
          'OIDC login is not configured for this mount',
        );
      }
      checkIdToken({ claims, config, role, now });
      checkBoundSubject(role, claims);
      return await identify(role, claims, args.directory);
    }
    checkClaims({ claims, config, role, now });
    return await admit(args, role, claims);
  });
}

/** Returns a refusal as a result. Other errors are thrown. */
async function answer(judge: () => Promise<SignedIn>): Promise<SignedIn | LoginRefused> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof LoginRefused) return error;
    throw error;
  }
}

/** @throws LoginRefused at step `role` */
function configuredRole({ config, roleName, role }: Attempt) {
  if (config === undefined)
    throw new LoginRefused(LoginReason.methodNotConfigured, 'could not load configuration');
  return { config, role: findRole(roleName || config.defaultRole, role) };
}

function checkAddress({ addressAllowed }: Attempt, { tokenBoundCidrs }: LoginRole): void {
  if (tokenBoundCidrs?.length && !addressAllowed(tokenBoundCidrs)) {
    throw new LoginRefused(LoginReason.sourceAddress, 'permission denied');
  }
}

/**
 * Refuses a token whose subject is not the role's.
 *
 * @throws LoginRefused at step `token`
 */
export function checkBoundSubject({ boundSubject }: LoginRole, claims: Claims): void {
  if (boundSubject && own(claims, 'sub') !== boundSubject) {
    throw new LoginRefused(LoginReason.subject, 'sub claim does not match bound subject');
  }
}

/** @throws LoginRefused from step `audience` on */
async function admit({ directory }: Attempt, role: LoginRole, claims: Claims): Promise<SignedIn> {
  const audiences = claim(claims, 'aud');
  if (Array.isArray(audiences) && audiences.length > 0 && !role.boundAudiences?.length) {
    throw new LoginRefused(
      LoginReason.audienceNotBound,
      'audience claim found in JWT but no audiences bound to the role',
    );
  }
  return await identify(role, claims, directory);
}

/**
 * The role of this name.
 *
 * @throws LoginRefused at step `role`
 */
export function findRole(name: string | undefined, role: Attempt['role']): LoginRole {
  if (!name) throw new LoginRefused(LoginReason.roleMissing, 'missing role');
  const loginRole = role(name);
  if (loginRole !== undefined) return loginRole;
  throw new LoginRefused(LoginReason.roleUnknown, `role ${quoted(name)} could not be found`);
}
