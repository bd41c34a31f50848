import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcShape, ProviderKind } from './kind.ts';

const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal(ProviderKind.sourceHosting),
  /** Base URL of the source-hosting service. Defaults to `https://gitlab.com`. */
  authority: authority.default('https://gitlab.com'),
});
export type SourceHostingSettings = z.output<typeof settings>;

/** Source-hosting provider (interface.md B-2, fourth row). */
export const sourceHosting = {
  kind: ProviderKind.sourceHosting,
  methodType: 'oidc',
  settings,
  config: (given) => ({ oidcDiscoveryUrl: given.authority, oidcClientId: given.clientId }),
  role: (given) => ({ userClaim: 'sub', oidcScopes: ['openid'], ...groupsClaimFor(given, 'groups_direct') }),
} satisfies Kind<SourceHostingSettings>;
