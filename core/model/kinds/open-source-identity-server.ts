import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcShape, ProviderKind } from './kind.ts';

const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal(ProviderKind.openSourceIdentityServer),
  /** Base URL of the server, for example `https://id.example.com`. */
  authority,
  /** The realm; the issuer is `<authority>/realms/<realm>`. */
  realm: z.string().regex(/^[^/\s]+$/, 'a realm is a name without slashes and blanks'),
});
export type OpenSourceIdentityServerSettings = z.output<typeof settings>;

/** Open-source identity server (interface.md B-2, sixth row). */
export const openSourceIdentityServer = {
  kind: ProviderKind.openSourceIdentityServer,
  methodType: 'oidc',
  settings,
  config: (given) => ({
    oidcDiscoveryUrl: `${given.authority}/realms/${given.realm}`,
    oidcClientId: given.clientId,
  }),
  role: (given) => ({
    userClaim: 'sub',
    oidcScopes: ['profile', 'email'],
    ...groupsClaimFor(given, 'groups'),
  }),
} satisfies Kind<OpenSourceIdentityServerSettings>;
