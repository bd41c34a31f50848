import { kindById, type ProviderKind } from '@gatehouse/core/graph';
import { type AccountClaims, type Configuration, errors } from 'oidc-provider';
import type { Person } from './development.ts';

/** OpenID Connect Core, section 5.4. */
const standardScopes = {
  profile: ['name', 'nickname', 'preferred_username'],
  email: ['email', 'email_verified'],
};

/** The claims of a person in a kind's tokens, if the scopes ask for them. */
export function claimsOf(
  kind: ProviderKind,
  { username, email, name, groups, claims }: Person,
): AccountClaims {
  const { groupsClaim = 'groups', embedded = {} } = kindById(kind);
  const { groupIds = {}, omitsEmptyGroups } = embedded;
  return {
    sub: username,
    email,
    email_verified: true,
    hd: email.slice(email.indexOf('@') + 1),
    name,
    nickname: username,
    preferred_username: username,
    ...(!(omitsEmptyGroups && groups.length === 0) && {
      [groupsClaim]: groups.map((group) => groupIds[group] ?? group),
    }),
    ...claims[kind],
  };
}

/** The scopes that a kind knows, and the claims that each gives. Claims of a person's own need no scope. */
export function scopesOf(
  kind: ProviderKind,
  people: readonly Person[],
): Pick<Configuration, 'scopes' | 'claims' | 'extraParams'> {
  const { groupsClaim = 'groups', embedded = {} } = kindById(kind);
  const { scopes = standardScopes, otherScopes, unknownScope = 'ignored', claims = [groupsClaim] } = embedded;
  const knownScopes = ['openid', ...Object.keys(scopes)];
  const scopedClaims = Object.values(scopes).flat();
  const own = people.flatMap((person) => Object.keys(person.claims[kind] ?? {}));

  return {
    scopes: knownScopes,
    claims: {
      ...Object.fromEntries(Object.entries(scopes).map(([scope, claimNames]) => [scope, [...claimNames]])),
      openid: ['sub', ...claims, ...own.filter((claim) => !scopedClaims.includes(claim))],
    },
    extraParams: {
      // The library calls this after it has checked the redirect URI. By then it has removed unknown scopes from the
      // parameter, so the query is read.
      scope({ query }) {
        if (unknownScope === 'ignored') return;
        const unknown = String(query['scope'] ?? 'openid')
          .split(' ')
          .find((scope) => !knownScopes.includes(scope) && !otherScopes?.test(scope));
        if (unknown === undefined) return;
        const error = new errors.InvalidScope('the scope is not known here', unknown);
        error.allow_redirect = unknownScope === 'refused';
        throw error;
      },
    },
  };
}
