import { cannotUnmarshal, goTime, instantOf, quoted, shown, wholeNumber } from '../graph/values/go.ts';
import { type Claims, own } from './claims.ts';
import { LoginReason, LoginRefused } from './login-refused.ts';
import type { LoginConfig, LoginRole } from './login-role.ts';
import { refuseAmbiguous } from './verify-token.ts';

const perSecond = 1_000_000_000n;
/** Nanoseconds that the clocks of provider and service may be apart; expiry allows none. */
const leeway = 60n * perSecond;
const notBeforeLeeway = 300n * perSecond;

interface CheckIdTokenArgs {
  claims: Claims;
  config: LoginConfig;
  role: LoginRole;
  /** The nonce of the sign-in. Undefined: not checked. */
  nonce?: string;
  /** When the sign-in began, for `max_age`. Nanoseconds since 1970. Defaults to `now`. */
  began?: bigint;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/**
 * Checks the claims of an ID token as OpenBao's OIDC callback does, in its order and its words. Sources: coreos/go-oidc
 * oidc/verify.go, hashicorp/cap oidc/provider.go `VerifyIDToken`. The signature is checked elsewhere.
 *
 * @throws LoginRefused at step `token`
 */
export function checkIdToken({ claims, config, role, nonce, now, began = now }: CheckIdTokenArgs): void {
  const { oidcClientId: client = '', oidcDiscoveryUrl: provider = '' } = config;
  refuseAmbiguous(claims);
  const issuer = text(claims, 'iss');
  const subject = text(claims, 'sub');
  const audiences = audiencesOf(claims);
  const expires = seconds(claims, 'exp');
  const issuedAt = seconds(claims, 'iat');
  const notBefore = seconds(claims, 'nbf', true);
  const tokenNonce = text(claims, 'nonce');
  text(claims, 'at_hash');

  if (
    issuer !== provider &&
    !(provider === 'https://accounts.google.com' && issuer === 'accounts.google.com')
  ) {
    const words = `id token issued by a different provider, expected ${quoted(provider)} got ${quoted(issuer)}`;
    throw refused(LoginReason.issuer, `: oidc: ${words}: invalid issuer`);
  }
  if (instantOf(expires) < now) {
    throw refused(
      LoginReason.expired,
      `: oidc: token is expired (Token Expiry: ${goTime(expires)}): token is expired`,
    );
  }
  const current = goTime(now / perSecond);
  if (now + notBeforeLeeway < instantOf(notBefore)) {
    const words = `current time ${current} before the nbf (not before) time: ${goTime(notBefore)}`;
    throw refused(LoginReason.notYetValid, `: oidc: ${words}: invalid not before`);
  }
  if (nonce !== undefined && tokenNonce !== nonce) throw refused(LoginReason.nonce, ' nonce: invalid nonce');
  if (now + leeway < instantOf(issuedAt)) {
    const words = `current time ${current} before the iat (issued at) time ${goTime(issuedAt)}`;
    throw refused(LoginReason.issuedInFuture, ` ${words}: invalid issued at (iat)`);
  }
  if (subject === '') throw refused(LoginReason.subjectMissing, ': sub: missing required claim');
  if (audiences.length === 0) throw refused(LoginReason.audience, ': aud: missing required claim');
  const bound = role.boundAudiences ?? [];
  if (bound.length > 0 && !bound.some((audience) => audiences.includes(audience))) {
    throw refused(
      LoginReason.audience,
      ' audiences: verifyAudiences: invalid id_token audiences: invalid audience',
    );
  }
  checkParty(claims, audiences, client);
  checkAge(claims, role, began);
}

/** Refuses a token that was not issued to the client itself, whatever its other audiences. */
function checkParty(claims: Claims, audiences: string[], client: string): void {
  const several = `multiple audiences`;
  const isFor = `is not equal client_id (${client})`;
  if (audiences.length > 1 && !audiences.includes(client)) {
    const words = `${several} (${shown(audiences)}) and one of them ${isFor}`;
    throw refused(LoginReason.audience, `: ${words}: invalid audience`);
  }
  const party = own(claims, 'azp');
  if (party === client) return;
  const other = `authorized party (${party === undefined ? '%!s(<nil>)' : asText(party)}) ${isFor}`;
  const wrong = (words: string) =>
    refused(LoginReason.authorizedParty, `: ${words}: invalid authorized party (azp)`);
  if (party !== undefined) throw wrong(other);
  if (audiences.length > 1) throw wrong(`${several} and ${other}`);
  if (audiences[0] !== client) {
    throw wrong(`one audience (${audiences[0]}) which is not the client_id (${client}) and ${other}`);
  }
}

function checkAge(claims: Claims, { maxAge = 0 }: LoginRole, began: bigint): void {
  if (maxAge <= 0) return;
  const authTime = own(claims, 'auth_time');
  if (typeof authTime !== 'number') {
    const words = 'missing auth_time claim when max age was requested: missing required claim';
    throw new LoginRefused(LoginReason.signedInTooLongAgo, words);
  }
  const signedIn = wholeNumber(authTime);
  const earliest = began - BigInt(maxAge) * perSecond;
  if (instantOf(signedIn) + leeway > earliest) return;
  const words = `is beyond max age (${maxAge} / ${goTime(earliest / perSecond)})`;
  throw new LoginRefused(
    LoginReason.signedInTooLongAgo,
    `auth_time (${goTime(signedIn)}) ${words}: expired auth_time`,
  );
}

/** Go's zero time, the first second of the year 1: what a time that is not there becomes. */
const zeroTime = -62_135_596_800n;

/** A time in whole seconds since 1970, from a number or the text of a number. */
function seconds(claims: Claims, name: string, isOptional = false): bigint {
  const value = own(claims, name);
  if (value === undefined || (value === null && isOptional)) return zeroTime;
  if (value === null) throw malformedClaims('strconv.ParseFloat: parsing "": invalid syntax');
  if (typeof value === 'number') return wholeNumber(value);
  if (typeof value === 'string') {
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return wholeNumber(Number(value));
    const words = `json: cannot unmarshal string ${quoted(value)} into Go value of type json.Number`;
    throw malformedClaims(`${words}: invalid syntax`);
  }
  throw malformedClaims(cannotUnmarshal(value, 'value', 'json.Number'));
}

function text(claims: Claims, name: string): string {
  const value = own(claims, name) ?? '';
  if (typeof value === 'string') return value;
  throw malformedClaims(cannotUnmarshal(value, `struct field idToken.${name}`));
}

/** One text is a list of one, and null a text without letters. */
function audiencesOf(claims: Claims): string[] {
  const value = own(claims, 'aud');
  if (value === undefined) return [];
  if (typeof value === 'string' || value === null) return [value ?? ''];
  if (!Array.isArray(value)) throw malformedClaims(cannotUnmarshal(value, 'value', '[]string'));
  return value.map((audience: unknown, index) => {
    if (typeof audience === 'string' || audience === null) return audience ?? '';
    throw malformedClaims(cannotUnmarshal(audience, `.${index}`).replace('into Go .', 'into .'));
  });
}

/** As Go's `%s` writes what may be no text. */
function asText(value: unknown): string {
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'boolean') return `%!s(bool=${value})`;
  return typeof value === 'number' ? `%!s(float64=${shown(value)})` : shown(value);
}

function malformedClaims(words: string): LoginRefused {
  return refused(LoginReason.claimMalformed, `: oidc: failed to unmarshal claims: ${words}`);
}

function refused(reason: LoginReason, words: string): LoginRefused {
  return new LoginRefused(reason, `invalid id_token${words}`);
}
