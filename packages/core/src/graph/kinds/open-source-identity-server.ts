import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<authority>/realms/<realm>';
const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal('open_source_identity_server'),
  authority,
  realm: z.string().regex(/^[^/\s]+$/, 'a realm is a name without slashes and blanks'),
});

/** Open-source identity server (docs/inside/specification.md B-2, sixth row). */
export const openSourceIdentityServer = {
  kind: 'open_source_identity_server',
  products: ['Keycloak'],
  methodType: 'oidc',
  settings,
  issuer,
  config: (provider) => oidcConfig(issuer, provider),
  role: (provider) => ({ userClaim: 'sub', oidcScopes: ['profile', 'email'], ...groupsClaimFor(provider) }),
  hosts: /(^|[.-])keycloak[.-]/,
  recognizes: ({ issuers }) => issuers.some(({ pathname }) => /\/realms(\/|$)/.test(pathname)),
  embedded: {
    issuer: { realm: 'main' },
    scopes: { profile: [], email: [], address: [], phone: [], roles: [], offline_access: [] },
    unknownScope: 'refused',
    // Clients have the scopes `profile` and `email` by default: a sign-in need not ask for them.
    claims: ['name', 'preferred_username', 'email', 'email_verified', 'groups'],
    omitsEmptyGroups: true,
  },
} as const satisfies Kind<z.output<typeof settings>>;
