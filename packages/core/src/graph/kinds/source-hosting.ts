import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<authority>';
const groupsClaim = 'groups_direct';
const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal('source_hosting'),
  authority: authority.default('https://gitlab.com'),
});

/** Source-hosting provider (docs/inside/specification.md B-2, fourth row). */
export const sourceHosting = {
  kind: 'source_hosting',
  products: ['GitLab'],
  methodType: 'oidc',
  settings,
  issuer,
  groupsClaim,
  config: (provider) => oidcConfig(issuer, provider),
  role: (provider) => ({
    userClaim: 'sub',
    oidcScopes: ['openid'],
    ...groupsClaimFor(provider, groupsClaim),
  }),
  keepsStrangersOut: `Bind ${groupsClaim} to groups of your own.`,
  // The workloads of its pipelines sign in with tokens of the same issuer, but not through a method for people.
  recognizes: ({ type, issuers }) =>
    type === 'oidc' && issuers.some(({ hostname }) => hostname === 'gitlab.com'),
  embedded: {
    scopes: { profile: [], email: ['email', 'email_verified'], read_user: [], read_api: [] },
    unknownScope: 'stopped',
    claims: ['name', 'nickname', 'preferred_username', groupsClaim],
  },
} as const satisfies Kind<z.output<typeof settings>>;
