import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<authority>/oauth2/<authorizationServer>';
/** The authorization server that every organization has, and its audience. */
export const defaultServer = { name: 'default', audience: 'api://default' } as const;

const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal('enterprise_identity_provider'),
  /** Base URL of the organization, for example `https://example.okta.com`. */
  authority,
  /** The authorization server. Defaults to `default`. */
  authorizationServer: z
    .string()
    .regex(/^[\w-]+$/)
    .default(defaultServer.name),
  /** Audience of the authorization server. Defaults to `api://default` for the default one, else to none. */
  audience: z.string().min(1).optional(),
});

/** Enterprise identity provider (interface.md B-2, seventh row). */
export const enterpriseIdentityProvider = {
  kind: 'enterprise_identity_provider',
  products: ['Okta'],
  methodType: 'oidc',
  settings,
  issuer,
  questions: [{ setting: 'authority', asks: 'base URL, for example https://example.okta.com' }],
  config: (given) => oidcConfig(issuer, given),
  role: (given) => {
    const isDefault = given.authorizationServer === defaultServer.name;
    const audience = given.audience ?? (isDefault ? defaultServer.audience : undefined);
    return {
      userClaim: 'sub',
      oidcScopes: ['profile'],
      // The audience of an id token is the client, that of an access token the server's: a role binds both.
      ...(audience === undefined ? {} : { boundAudiences: [audience, given.clientId] }),
      ...groupsClaimFor(given),
    };
  },
  hosts: /\.okta(preview|-emea|-gov)?\.com$/,
  embedded: {
    issuer: { authorizationServer: defaultServer.name },
    scopes: {
      profile: ['name', 'nickname', 'preferred_username'],
      email: ['email', 'email_verified'],
      ...{ address: [], phone: [], offline_access: [] },
    },
    unknownScope: 'refused',
    omitsEmptyGroups: true,
  },
} as const satisfies Kind<z.output<typeof settings>>;
