import { z } from 'zod';
import { groupsClaimFor, issuerUrl, type Kind, oidcShape, ProviderKind } from './kind.ts';

const settings = z
  .strictObject({
    ...oidcShape,
    kind: z.literal(ProviderKind.hostedIdentityPlatform),
    /** The tenant's domain, for example `example.eu.auth0.com`. Its issuer is `https://<domain>/`. */
    domain: z
      .string()
      .regex(/^[a-z0-9.-]+(:\d+)?$/i, 'a domain is needed, without https:// and without a path')
      .optional(),
    /** The issuer itself, to the letter, where it is not `https://<domain>/`. */
    authority: issuerUrl.optional(),
    /**
     * Claim that carries the groups. The platform drops custom claims whose name is no URL, so it has no default;
     * needed where groups are declared.
     */
    groupsClaim: z.string().min(1).optional(),
  })
  .refine(({ domain, authority }) => (domain ?? authority) !== undefined, {
    path: ['domain'],
    message: 'the tenant’s domain is needed',
  })
  .refine(({ groups, groupsClaim }) => groups.length === 0 || groupsClaim !== undefined, {
    path: ['groupsClaim'],
    message:
      'groups are declared, so the claim that carries them is needed, for example https://example.com/groups',
  });
export type HostedIdentityPlatformSettings = z.output<typeof settings>;

/** Hosted identity platform (interface.md B-2, second row). */
export const hostedIdentityPlatform = {
  kind: ProviderKind.hostedIdentityPlatform,
  methodType: 'oidc',
  settings,
  config: (given) => ({
    // The platform's issuer ends in a slash, and the service compares it to the letter.
    oidcDiscoveryUrl: given.authority ?? `https://${given.domain}/`,
    oidcClientId: given.clientId,
    jwtSupportedAlgs: ['RS256'],
  }),
  role: (given) => ({
    userClaim: 'sub',
    oidcScopes: ['profile', 'email'],
    ...groupsClaimFor(given, given.groupsClaim ?? 'groups'),
  }),
} satisfies Kind<HostedIdentityPlatformSettings>;
