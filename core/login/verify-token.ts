import { type Claims, own } from './claims.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';
import type { LoginConfig, LoginRole } from './login-role.ts';
import { type Keys, signingAlgorithms, verifySignature } from './signature.ts';

/** Seconds. */
const defaultLeeway = 150;
/** Seconds. */
const defaultClockSkew = 60;

export interface VerifyTokenArgs {
  token: string;
  config: LoginConfig;
  role: LoginRole;
  keys: Keys;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/**
 * Verifies a token that was presented at a login: its signature, algorithm, issuer, subject, audience and times.
 * Resolves with its claims.
 *
 * @throws LoginRefused at step `token`
 */
export async function verifyToken({ token, config, role, keys, now }: VerifyTokenArgs): Promise<Claims> {
  const algorithms = config.jwtSupportedAlgs?.length ? config.jwtSupportedAlgs : signingAlgorithms;
  const claims = await verifySignature(token, keys, algorithms);
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
  const issuer = text(claims, 'iss');
  const subject = text(claims, 'sub');
  const audiences = audiencesOf(claims);
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
  checkTimes(claims, role, now);
}

const registered = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'];

/** Readers that match names without case would take `AUD` for `aud` (facts/security.md, CVE-2026-19194). */
function refuseAmbiguous(claims: Claims): void {
  for (const name of Object.keys(claims)) {
    const folded = name.toLowerCase();
    if (name === folded || !registered.includes(folded)) continue;
    throw refused(
      LoginReason.claimAmbiguous,
      `ambiguous claim: key ${JSON.stringify(name)} collides with registered claim "${folded}" under case folding`,
    );
  }
}

/** As hashicorp/cap jwt/jwt.go does it: where a time is missing, another one and a leeway stand in for it. */
function checkTimes(claims: Claims, role: LoginRole, now: bigint): void {
  const issuedAt = seconds(claims, 'iat');
  let notBefore = seconds(claims, 'nbf');
  let expires = seconds(claims, 'exp');
  if (issuedAt === 0 && notBefore === 0 && expires === 0) {
    throw refused(
      LoginReason.timesMissing,
      'no issued at (iat), not before (nbf), or expiration time (exp) claims in token',
    );
  }
  if (expires === 0) expires = Math.max(issuedAt, notBefore) + leeway(role.expirationLeeway, defaultLeeway);
  if (notBefore === 0) {
    notBefore = issuedAt === 0 ? expires - leeway(role.notBeforeLeeway, defaultLeeway) : issuedAt;
  }
  const skew = BigInt(leeway(role.clockSkewLeeway, defaultClockSkew)) * 1_000_000_000n;
  if (now + skew < instant(notBefore))
    throw refused(LoginReason.notYetValid, 'invalid not before (nbf) claim: token not yet valid');
  if (now - skew > instant(expires))
    throw refused(LoginReason.expired, 'invalid expiration time (exp) claim: token is expired');
  if (now + skew < instant(issuedAt)) {
    throw refused(LoginReason.issuedInFuture, 'invalid issued at (iat) claim: token issued in the future');
  }
}

/** 0 and nothing mean the default, anything below 0 none. */
function leeway(given: number | undefined, byDefault: number): number {
  if (given === undefined || given === 0) return byDefault;
  return Math.max(given, 0);
}

function instant(at: number): bigint {
  return BigInt(at) * 1_000_000_000n;
}

/** A time, in whole seconds since 1970; 0 for none. */
function seconds(claims: Claims, name: string): number {
  const value = own(claims, name) ?? 0;
  // Up to the year 275760, the last that dates of this platform know.
  if (typeof value !== 'number' || Math.abs(value) > 8.64e12) {
    throw refused(LoginReason.claimMalformed, `the ${name} claim is not a time in seconds`);
  }
  return Math.trunc(value);
}

function text(claims: Claims, name: string): string {
  const value = own(claims, name) ?? '';
  if (typeof value !== 'string')
    throw refused(LoginReason.claimMalformed, `the ${name} claim is not a string`);
  return value;
}

function audiencesOf(claims: Claims): string[] {
  const value = [own(claims, 'aud') ?? []].flat();
  if (value.some((one) => typeof one !== 'string')) {
    throw refused(LoginReason.claimMalformed, 'the aud claim is not a string or a list of strings');
  }
  return value as string[];
}

function refused(reason: LoginReason, message: string): LoginRefused {
  return new LoginRefused(reason, `error validating token: ${message}`);
}
