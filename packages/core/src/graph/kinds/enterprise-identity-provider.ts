import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<authority>/oauth2/<authorizationServer>';
/** The authorization server that every organization has, and its audience. */
export const defaultServer = { name: 'default', audience: 'api://default' } as const;
/** Stands for the organization's own authorization server, whose issuer is the organization's base URL. */
const organization = 'org';
const hosts = /\.okta(preview|-emea|-gov)?\.com$/;

const settings = z
  .strictObject({
    ...oidcShape,
    kind: z.literal('enterprise_identity_provider'),
    authority: authority
      .refine((url) => !/\/oauth2(\/|$)/.test(url), {
        error:
          'give the base URL of the organization, without /oauth2 and what follows; use `authorizationServer` for that',
      })
      .refine((url) => !/-admin\.okta(preview|-emea|-gov)?\.com(:|\/|$)/.test(url), {
        error: 'this is the admin console; use the address without `-admin`, where people sign in',
      }),
    authorizationServer: z
      .string()
      .regex(/^[\w-]+$/, 'give `default`, `org`, or the id of a custom authorization server')
      .default(defaultServer.name),
    audience: z.string().min(1).optional(),
  })
  .refine((provider) => provider.audience === undefined || provider.authorizationServer !== organization, {
    path: ['audience'],
    message: 'the organization’s own authorization server has no audience to set; leave it out',
  });

/** Whether an issuer is an organization's own authorization server. */
export function isOrganization(issuer: string): boolean {
  return /^https:\/\/[^/]+$/.test(issuer) && hosts.test(URL.parse(issuer)?.hostname ?? '');
}

/** Enterprise identity provider (docs/inside/specification.md B-2, seventh row). */
export const enterpriseIdentityProvider = {
  kind: 'enterprise_identity_provider',
  products: ['Okta'],
  methodType: 'oidc',
  settings,
  issuer,
  config: (provider) => oidcConfig(isOrg(provider) ? '<authority>' : issuer, provider),
  role: (provider, role) => {
    const groups = groupsClaimFor(provider);
    const readsGroups = Boolean(role.groupsClaim ?? groups.groupsClaim);
    const isDefault = provider.authorizationServer === defaultServer.name;
    const audience = provider.audience ?? (isDefault ? defaultServer.audience : undefined);
    return {
      userClaim: 'sub',
      // On the organization's server groups come with a scope of that name. Custom servers have none, and refuse it.
      oidcScopes: isOrg(provider) && readsGroups ? ['profile', 'groups'] : ['profile'],
      // The audience of an id token is the client, that of an access token the server's: a role binds both.
      ...(audience === undefined ? {} : { boundAudiences: [audience, provider.clientId] }),
      ...groups,
    };
  },
  hosts,
  settingsIn: (url) =>
    isOrganization(url) ? { authority: url, authorizationServer: organization } : undefined,
  embedded: {
    issuer: { authorizationServer: defaultServer.name },
    scopes: {
      profile: ['name', 'nickname', 'preferred_username'],
      email: ['email', 'email_verified'],
      address: [],
      phone: [],
      offline_access: [],
    },
    unknownScope: 'refused',
    omitsEmptyGroups: true,
  },
} as const satisfies Kind<z.output<typeof settings>>;

function isOrg({ authorizationServer }: { authorizationServer: string }): boolean {
  return authorizationServer === organization;
}
