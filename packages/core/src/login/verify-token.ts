import { signingAlgorithms } from '../graph/resources/checks.ts';
import { cannotUnmarshal, instantOf, int64, wholeNumber } from '../graph/values/go.ts';
import { type Claims, own } from './claims.ts';
import type { TokenRules } from './compact-token.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';
import type { LoginConfig, LoginRole } from './login-role.ts';
import { type Keys, verifySignature } from './signature.ts';

/** Seconds. */
const defaultLeeway = 150;
/** Seconds. */
const defaultClockSkew = 60;

interface VerifyTokenArgs {
  token: string;
  config: LoginConfig;
  role: LoginRole;
  keys: Keys;
  /** By whose rules the token is read. Defaults to our own. */
  rules?: TokenRules;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/**
 * Verifies a token that was presented at a login: its signature, algorithm, issuer, subject, audience and times.
 * Resolves with its claims.
 *
 * @throws LoginRefused at step `token`
 */
export async function verifyToken({
  token,
  config,
  role,
  keys,
  rules,
  now,
}: VerifyTokenArgs): Promise<Claims> {
  const algorithms = config.jwtSupportedAlgs?.length ? config.jwtSupportedAlgs : signingAlgorithms;
  const claims = await verifySignature(token, keys, algorithms, rules);
  checkClaims({ claims, config, role, now });
  return claims;
}

/**
 * Checks what the claims of a token say of its issuer, subject, audience and times.
 *
 * @throws LoginRefused at step `token`
 */
export function checkClaims({
  claims,
  config,
  role,
  now,
}: Pick<VerifyTokenArgs, 'config' | 'role' | 'now'> & { claims: Claims }): void {
  refuseAmbiguous(claims);
  // Types first, in the order in which Go's JSON decoder comes upon them.
  const audiences = audiencesOf(claims);
  const expires = seconds(claims, 'exp');
  const issuedAt = seconds(claims, 'iat');
  const issuer = text(claims, 'iss');
  text(claims, 'jti');
  const notBefore = seconds(claims, 'nbf');
  const subject = text(claims, 'sub');
  if (config.boundIssuer && config.boundIssuer !== issuer)
    throw refused(LoginReason.issuer, 'invalid issuer (iss) claim');
  if (role.boundSubject && role.boundSubject !== subject)
    throw refused(LoginReason.subject, 'invalid subject (sub) claim');
  if (role.boundAudiences?.length && !role.boundAudiences.some((bound) => audiences.includes(bound))) {
    throw refused(
      LoginReason.audience,
      'invalid audience (aud) claim: audience claim does not match any expected audience',
    );
  }
  checkTimes([expires, issuedAt, notBefore], role, now);
}

const registered = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/**
 * Readers that match names without case would take `AUD` for `aud`
 * (docs/inside/measured/weaknesses.md#known-weaknesses, CVE-2026-19194).
 */
export function refuseAmbiguous(claims: Claims): void {
  for (const name of Object.keys(claims)) {
    const folded = name.toLowerCase();
    if (name === folded || !registered.includes(folded)) continue;
    throw refused(
      LoginReason.claimAmbiguous,
      `ambiguous claim: key ${JSON.stringify(name)} collides with registered claim "${folded}" under case folding`,
    );
  }
}

/** `exp`, `iat` and `nbf`, in seconds since 1970; 0 for none. */
type TokenTimes = [expires: bigint, issuedAt: bigint, notBefore: bigint];

/** As hashicorp/cap jwt/jwt.go does it: where a time is missing, another one and a leeway stand in for it. */
function checkTimes([expires, issuedAt, notBefore]: TokenTimes, role: LoginRole, now: bigint): void {
  if (issuedAt === 0n && notBefore === 0n && expires === 0n) {
    throw refused(
      LoginReason.timesMissing,
      'no issued at (iat), not before (nbf), or expiration time (exp) claims in token',
    );
  }
  const latest = issuedAt > notBefore ? issuedAt : notBefore;
  const ends = expires === 0n ? int64(latest + leeway(role.expirationLeeway, defaultLeeway)) : expires;
  const byIssue = issuedAt === 0n ? int64(ends - leeway(role.notBeforeLeeway, defaultLeeway)) : issuedAt;
  const starts = notBefore === 0n ? byIssue : notBefore;
  const skew = leeway(role.clockSkewLeeway, defaultClockSkew) * 1_000_000_000n;
  if (now + skew < instantOf(starts))
    throw refused(LoginReason.notYetValid, 'invalid not before (nbf) claim: token not yet valid');
  if (now - skew > instantOf(ends))
    throw refused(LoginReason.expired, 'invalid expiration time (exp) claim: token is expired');
  if (now + skew < instantOf(issuedAt)) {
    throw refused(LoginReason.issuedInFuture, 'invalid issued at (iat) claim: token issued in the future');
  }
}

/** 0 and nothing mean the default, anything below 0 none. */
function leeway(configured: number | undefined, byDefault: number): bigint {
  if (configured === undefined || configured === 0) return BigInt(byDefault);
  return BigInt(Math.max(Math.trunc(configured), 0));
}

/** A time, in whole seconds since 1970; 0 for none. */
function seconds(claims: Claims, name: string): bigint {
  const value = own(claims, name) ?? 0;
  if (typeof value !== 'number') {
    throw refused(
      LoginReason.claimMalformed,
      'go-jose/go-jose/jwt: expected number value to unmarshal NumericDate',
    );
  }
  return wholeNumber(value);
}

function text(claims: Claims, name: string): string {
  const value = own(claims, name) ?? '';
  if (typeof value === 'string') return value;
  throw refused(LoginReason.claimMalformed, cannotUnmarshal(value, `struct field Claims.${name}`));
}

function audiencesOf(claims: Claims): string[] {
  const value = own(claims, 'aud');
  const list = value === undefined ? [] : [value].flat();
  if (list.every((audience) => typeof audience === 'string')) return list;
  throw refused(
    LoginReason.claimMalformed,
    'go-jose/go-jose/jwt: expected string or array value to unmarshal to Audience',
  );
}

function refused(reason: LoginReason, message: string): LoginRefused {
  return new LoginRefused(reason, `error validating token: ${message}`);
}
