import { z } from 'zod';
import { defined } from '../values/loose-values.ts';
import { textList } from '../values/text-list.ts';
import { groupsClaimFor, issuerUrl, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<issuer>';
const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal('oidc'),
  /** Exact issuer of the provider; its discovery document is below it. */
  issuer: issuerUrl,
  /** Claim that names people. Defaults to `sub`. */
  userClaim: z.string().min(1).default('sub'),
  /** Claim that carries the groups, asked for where groups are declared. Defaults to `groups`. */
  groupsClaim: z.string().min(1).default('groups'),
  /** Scopes to ask for, in addition to `openid`. Defaults to `profile` and `email`. */
  scopes: textList.default(['profile', 'email']),
  /** Audiences; an id token must carry one of them. Defaults to the client id. */
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
  questions: [{ setting: 'issuer', asks: 'issuer, for example https://id.example.com' }],
  config: (given) => oidcConfig(issuer, given),
  role: (given) => ({
    userClaim: given.userClaim,
    oidcScopes: given.scopes,
    ...defined({ boundAudiences: given.audiences }),
    ...groupsClaimFor(given, given.groupsClaim),
  }),
} as const satisfies Kind<z.output<typeof settings>>;
