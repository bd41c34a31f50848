import { z } from 'zod';
import { defined } from '../values/loose-values.ts';
import { textList } from '../values/text-list.ts';
import { groupsClaimFor, issuerUrl, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<issuer>';
const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal('oidc'),
  issuer: issuerUrl,
  userClaim: z.string().min(1).default('sub'),
  groupsClaim: z.string().min(1).default('groups'),
  scopes: textList.default(['profile', 'email']),
  audiences: textList.optional(),
});

/** Any OpenID Connect provider that people sign in through. */
export const oidc = {
  kind: 'oidc',
  products: ['OpenID Connect'],
  methodType: 'oidc',
  settings,
  issuer,
  fitsAnyIssuer: true,
  config: (provider) => oidcConfig(issuer, provider),
  role: (provider) => ({
    userClaim: provider.userClaim,
    oidcScopes: provider.scopes,
    ...defined({ boundAudiences: provider.audiences }),
    ...groupsClaimFor(provider, provider.groupsClaim),
  }),
} as const satisfies Kind<z.output<typeof settings>>;
