import type { Role } from '../../graph/resources/role.ts';
import { placeOf } from '../../login/claims.ts';

/** The scopes that a role asks the provider for, in addition to the one of every sign-in. */
export function scopesOf({ oidcScopes = [] }: Role): string[] {
  return oidcScopes.filter((scope) => scope !== 'openid');
}

/** Claims that come without any other scope. */
const unscoped = ['sub', 'iss', 'aud'];

/** Whether a role reads a claim that only a scope brings. */
export function readsScopedClaims({
  userClaim,
  groupsClaim,
  boundClaims = {},
  claimMappings = {},
}: Role): boolean {
  const read = [userClaim, ...Object.keys(boundClaims), ...Object.keys(claimMappings)];
  return !!groupsClaim || read.some((name) => !unscoped.includes(placeOf(name)[0] ?? ''));
}

/** Claims of scopes that are texts if they are there (OpenID Connect Core 1.0, 5.1). Providers send some `locale` as an object. */
const texts = [
  'name',
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'email',
  'gender',
  'birthdate',
  'zoneinfo',
  'phone_number',
];

/**
 * Whether a role maps a claim that a scope may bring, and bring as something else than a text: this refuses people who sign in
 * once the claim is not there.
 */
export function mapsScopedValues({ claimMappings = {} }: Role): boolean {
  return Object.keys(claimMappings).some((name) => {
    const [first = '', ...inner] = placeOf(name);
    return !unscoped.includes(first) && !(inner.length === 0 && texts.includes(first));
  });
}
