import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcShape, ProviderKind } from './kind.ts';

const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal(ProviderKind.accessManagementSuite),
  /** Base URL of the suite, for example `https://am.example.com/am`; its issuer is `<authority>/oauth2`. */
  authority,
  /** The scopes of the OAuth 2.0 client, without `openid`. */
  scopes: z.array(z.string().min(1)).min(1),
});
export type AccessManagementSuiteSettings = z.output<typeof settings>;

/** Access-management suite (interface.md B-2, third row). */
export const accessManagementSuite = {
  kind: ProviderKind.accessManagementSuite,
  methodType: 'oidc',
  settings,
  config: (given) => ({ oidcDiscoveryUrl: `${given.authority}/oauth2`, oidcClientId: given.clientId }),
  role: (given) => ({ userClaim: 'sub', oidcScopes: given.scopes, ...groupsClaimFor(given, 'groups') }),
} satisfies Kind<AccessManagementSuiteSettings>;
