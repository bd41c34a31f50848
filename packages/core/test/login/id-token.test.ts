import { describe, expect, test } from '@jest/globals';
import type { Claims } from '../../src/login/claims.ts';
import { checkIdToken } from '../../src/login/id-token.ts';
import { LoginReason, LoginRefused } from '../../src/login/login-refused.ts';
import type { LoginRole } from '../../src/login/login-role.ts';

const now = 1_800_000_000;
const config = { oidcDiscoveryUrl: 'https://id.example', oidcClientId: 'client' };
const claims = { iss: 'https://id.example', sub: 'ann', aud: 'client', exp: now + 60, iat: now };

interface Asked {
  role?: Partial<LoginRole>;
  nonce?: string;
  /** Seconds since 1970. */
  began?: number;
  config?: object;
}

/** Why it is refused; undefined where it is not. */
function refusal(given: Claims, { role, began = now, ...asked }: Asked = {}): LoginRefused | undefined {
  const present = Object.fromEntries(
    Object.entries({ ...claims, ...given }).filter(([, value]) => value !== undefined),
  );
  try {
    checkIdToken({
      claims: present,
      config,
      role: { name: 'r', roleType: 'oidc', userClaim: 'sub', ...role },
      began: BigInt(began) * 1_000_000_000n,
      now: BigInt(now) * 1_000_000_000n,
      ...asked,
    });
    return undefined;
  } catch (error) {
    if (error instanceof LoginRefused) return error;
    throw error;
  }
}

// packages/secrets-service/test/conformance/scenarios/oidc-login.ts asks OpenBao the same.
describe('an ID token', () => {
  test.each<[string, Claims, Asked?]>([
    ['as the provider sends it', {}],
    ['that ends this second', { exp: now }],
    ['issued up to a minute ahead', { iat: now + 60 }],
    ['without a time of issue', { iat: undefined }],
    ['that starts up to five minutes ahead', { nbf: now + 300 }],
    ['with an end as text', { exp: String(now + 60) }],
    ['with a start that is null', { nbf: null }],
    ['for several audiences, issued to the client', { aud: ['client', 'other'], azp: 'client' }],
    ['for another audience, issued to the client', { aud: 'other', azp: 'client' }],
    [
      'for a bound audience and the client',
      { aud: ['a', 'client'], azp: 'client' },
      { role: { boundAudiences: ['a', 'b'] } },
    ],
    ['of the sign-in', { nonce: 'n' }, { nonce: 'n' }],
    ['whatever its nonce, where none is known', { nonce: 'n' }],
    [
      'of Google, without the scheme',
      { iss: 'accounts.google.com' },
      { config: { ...config, oidcDiscoveryUrl: 'https://accounts.google.com' } },
    ],
    [
      'of a person who signed in within the age and the leeway',
      { auth_time: now - 659 },
      { role: { maxAge: 600 } },
    ],
    [
      'whose age counts from the start of the sign-in',
      { auth_time: now - 700 },
      { role: { maxAge: 600 }, began: now - 60 },
    ],
  ])('%s signs in', (...[, given, asked]) => {
    expect(refusal(given, asked)).toBeUndefined();
  });

  test.each<[string, LoginReason, Claims, Asked?]>([
    ['another issuer', LoginReason.issuer, { iss: 'https://id.example/' }],
    ['no issuer', LoginReason.issuer, { iss: undefined }],
    ['an end a second ago', LoginReason.expired, { exp: now - 1 }],
    ['no end', LoginReason.expired, { exp: undefined }],
    ['an end beyond 64 bits', LoginReason.expired, { exp: 1e300 }],
    ['an end that is null', LoginReason.claimMalformed, { exp: null }],
    ['a start more than five minutes ahead', LoginReason.notYetValid, { nbf: now + 301 }],
    ['a time of issue more than a minute ahead', LoginReason.issuedInFuture, { iat: now + 61 }],
    ['another nonce', LoginReason.nonce, { nonce: 'n' }, { nonce: 'm' }],
    ['no nonce', LoginReason.nonce, {}, { nonce: 'm' }],
    ['no subject', LoginReason.subjectMissing, { sub: undefined }],
    ['no audience', LoginReason.audience, { aud: undefined }],
    [
      'another audience than the bound ones',
      LoginReason.audience,
      {},
      { role: { boundAudiences: ['a', 'b'] } },
    ],
    ['several audiences without the client', LoginReason.audience, { aud: ['a', 'b'], azp: 'client' }],
    ['several audiences, issued to no one named', LoginReason.authorizedParty, { aud: ['client', 'a'] }],
    ['another audience', LoginReason.authorizedParty, { aud: 'a' }],
    ['another authorized party', LoginReason.authorizedParty, { azp: 'a' }],
    ['an authorized party that is null', LoginReason.authorizedParty, { azp: null }],
    ['an audience that is no text', LoginReason.claimMalformed, { aud: ['client', 7] }],
    ['a subject that is no text', LoginReason.claimMalformed, { sub: 7 }],
    ['a second audience in other letters', LoginReason.claimAmbiguous, { AUD: 'other' }],
    ['no age where one is asked for', LoginReason.signedInTooLongAgo, {}, { role: { maxAge: 600 } }],
    ['an age beyond it', LoginReason.signedInTooLongAgo, { auth_time: now - 660 }, { role: { maxAge: 600 } }],
  ])('with %s is refused: %s', (...[, reason, given, asked]) => {
    expect(refusal(given, asked)?.reason).toBe(reason);
  });

  const unmarshal = ': oidc: failed to unmarshal claims: ';
  const is = 'is not equal client_id (client): invalid authorized party (azp)';
  const google = { ...config, oidcDiscoveryUrl: 'https://accounts.google.com' };
  test.each<[string, Claims, Asked?]>([
    [`: multiple audiences and authorized party (%!s(<nil>)) ${is}`, { aud: ['client', 'a'] }],
    [
      `: one audience (a) which is not the client_id (client) and authorized party (%!s(<nil>)) ${is}`,
      { aud: ['a'] },
    ],
    [`: authorized party (a) ${is}`, { azp: 'a' }],
    [`: authorized party (%!s(<nil>)) ${is}`, { azp: null }],
    [`: authorized party (%!s(bool=true)) ${is}`, { azp: true }],
    [`: authorized party (%!s(float64=7)) ${is}`, { azp: 7 }],
    [': oidc: token is expired (Token Expiry: 1970-01-01 00:00:01 +0000 UTC): token is expired', { exp: 1 }],
    [
      ': oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC): token is expired',
      { exp: undefined },
    ],
    [`${unmarshal}strconv.ParseFloat: parsing "": invalid syntax`, { exp: null }],
    [`${unmarshal}json: cannot unmarshal bool into Go value of type json.Number`, { exp: true }],
    [
      `${unmarshal}json: cannot unmarshal string "soon" into Go value of type json.Number: invalid syntax`,
      { exp: 'soon' },
    ],
    [`${unmarshal}json: cannot unmarshal number into Go value of type []string`, { aud: 7 }],
    [
      `${unmarshal}json: cannot unmarshal number into Go struct field idToken.at_hash of type string`,
      { at_hash: 7 },
    ],
    [
      ': oidc: id token issued by a different provider, expected "https://accounts.google.com" got "https://id.example": invalid issuer',
      {},
      { config: google },
    ],
  ])('is refused in the words of the service: invalid id_token%s', (...[words, given, asked]) => {
    expect(refusal(given, asked)?.message).toBe(`invalid id_token${words}`);
  });

  test.each([undefined, String(now)])('has no age in an auth_time of %j', (auth_time) => {
    expect(refusal({ auth_time }, { role: { maxAge: 1 } })?.message).toBe(
      'missing auth_time claim when max age was requested: missing required claim',
    );
  });
});
