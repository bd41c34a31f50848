import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcShape, ProviderKind } from './kind.ts';

const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal(ProviderKind.enterpriseIdentityProvider),
  /** Base URL of the organization, for example `https://example.okta.com`. */
  authority,
  /** The authorization server; the issuer is `<authority>/oauth2/<server>`. Defaults to `default`. */
  authorizationServer: z
    .string()
    .regex(/^[\w-]+$/)
    .default('default'),
  /** Audience of the authorization server. Defaults to `api://default` for the default one, else to none. */
  audience: z.string().min(1).optional(),
});
export type EnterpriseIdentityProviderSettings = z.output<typeof settings>;

/** Enterprise identity provider (interface.md B-2, seventh row). */
export const enterpriseIdentityProvider = {
  kind: ProviderKind.enterpriseIdentityProvider,
  methodType: 'oidc',
  settings,
  config: (given) => ({
    oidcDiscoveryUrl: `${given.authority}/oauth2/${given.authorizationServer}`,
    oidcClientId: given.clientId,
  }),
  role: (given) => {
    const audience =
      given.audience ?? (given.authorizationServer === 'default' ? 'api://default' : undefined);
    return {
      userClaim: 'sub',
      oidcScopes: ['profile'],
      // The id token carries the client's own id, an access token the server's audience: both are its.
      ...(audience === undefined ? {} : { boundAudiences: [audience, given.clientId] }),
      ...groupsClaimFor(given, 'groups'),
    };
  },
} satisfies Kind<EnterpriseIdentityProviderSettings>;
