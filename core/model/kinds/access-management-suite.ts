import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<authority>/oauth2';
const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal('access_management_suite'),
  /** Base URL of the suite, for example `https://am.example.com/am`. */
  authority,
  /** The scopes of the OAuth 2.0 client, without `openid`. */
  scopes: z.array(z.string().min(1)).min(1),
});

/** Access-management suite (interface.md B-2, third row). */
export const accessManagementSuite = {
  kind: 'access_management_suite',
  products: ['ForgeRock', 'ForgeRock AM', 'PingAM'],
  methodType: 'oidc',
  settings,
  issuer,
  questions: [
    { setting: 'authority', asks: 'base URL, for example https://am.example.com/am' },
    { setting: 'scopes', asks: "the OAuth 2.0 client's scopes, separated by commas", list: true },
  ],
  config: (given) => oidcConfig(issuer, given),
  role: (given) => ({ userClaim: 'sub', oidcScopes: given.scopes, ...groupsClaimFor(given) }),
  embedded: {
    scopes: { profile: ['name'], email: ['email'], address: [], phone: [] },
    unknownScope: 'refused',
    omitsEmptyGroups: true,
  },
  adopt: (_config, roles) => ({
    scopes: roles.find(({ oidcScopes }) => oidcScopes?.length)?.oidcScopes ?? ['profile'],
  }),
} as const satisfies Kind<z.output<typeof settings>>;
