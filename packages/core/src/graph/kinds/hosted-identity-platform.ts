import { z } from 'zod';
import { groupsClaimFor, issuerUrl, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<authority>';
/** The only algorithm that its applications should sign with. */
export const signingAlgorithm = 'RS256';

const settings = z
  .strictObject({
    ...oidcShape,
    kind: z.literal('hosted_identity_platform'),
    domain: z
      .string()
      .regex(/^[a-z0-9.-]+(:\d+)?$/i, 'must be a domain, without https:// and without a path')
      .optional(),
    authority: issuerUrl.optional(),
    groupsClaim: z.string().min(1).optional(),
  })
  .refine(({ domain, authority }) => (domain ?? authority) !== undefined, {
    path: ['domain'],
    message: 'the tenant’s domain is required',
  })
  .refine(
    ({ groups, groupsClaim }) =>
      groupsClaim !== undefined || groups.every(({ alias }) => alias === undefined),
    {
      path: ['groupsClaim'],
      message:
        'required where groups are declared: the claim that carries them, for example https://example.com/groups',
    },
  );

/** Hosted identity platform (docs/inside/specification.md B-2, second row). */
export const hostedIdentityPlatform = {
  kind: 'hosted_identity_platform',
  products: ['Auth0'],
  methodType: 'oidc',
  settings,
  issuer,
  groupsClaim: 'https://gatehouse.example/groups',
  config: ({ authority, domain, ...provider }) => ({
    // The platform's issuer ends in a slash, and the service compares it exactly.
    ...oidcConfig(issuer, { ...provider, authority: authority ?? `https://${domain}/` }),
    jwtSupportedAlgs: [signingAlgorithm],
  }),
  role: (provider) => ({
    userClaim: 'sub',
    oidcScopes: ['profile', 'email'],
    ...groupsClaimFor(provider, provider.groupsClaim),
  }),
  hosts: /\.auth0\.com$/,
  adopt({ jwtSupportedAlgs }, roles) {
    if (jwtSupportedAlgs?.join() !== signingAlgorithm) return undefined;
    const groupsClaim = roles.find((role) => role.groupsClaim)?.groupsClaim;
    return groupsClaim ? { groupsClaim } : {};
  },
  embedded: {
    endsInSlash: true,
    scopes: { profile: ['name', 'nickname'], email: ['email', 'email_verified'], offline_access: [] },
    signingAlgs: [signingAlgorithm, 'HS256'],
  },
} as const satisfies Kind<z.output<typeof settings>>;
