import { z } from 'zod';
import { authority, groupsClaimFor, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<authority>/oauth2';
/** The issuer of a realm below the top-level realm. */
const realmIssuer = /^(?<authority>.+)\/oauth2\/realms\/root\/realms\/(?<realms>[^/]+(\/realms\/[^/]+)*)$/;

const settings = z.strictObject({
  ...oidcShape,
  kind: z.literal('access_management_suite'),
  authority: authority.refine((url) => !/\/oauth2(\/|$)/.test(url), {
    error:
      'give the base URL of the suite, without /oauth2 and what follows; use `realm` for a realm below the top level',
  }),
  realm: z
    .string()
    .regex(/^[\w.~-]+(\/[\w.~-]+)*$/, 'a realm is one name, or several with slashes between them')
    .refine((realm) => !/^root(\/|$)|(^|\/)realms(\/|$)/.test(realm), {
      error:
        'give the names of realms alone, without `root` and `realms`; leave it out for the top-level realm',
    })
    .optional(),
  scopes: z.array(z.string().min(1)).min(1),
});

/** Access-management suite (docs/inside/specification.md B-2, third row). */
export const accessManagementSuite = {
  kind: 'access_management_suite',
  products: ['ForgeRock', 'ForgeRock AM', 'PingAM'],
  methodType: 'oidc',
  settings,
  issuer,
  config: ({ realm, ...provider }) => oidcConfig(`${issuer}${realmPath(realm)}`, provider),
  hosts: /\.forgeblocks\.com$/,
  recognizes: ({ issuers }) => issuers.some(({ href }) => realmIssuer.test(href)),
  settingsIn(url) {
    const { authority: base, realms } = realmIssuer.exec(url)?.groups ?? {};
    return base === undefined || realms === undefined
      ? undefined
      : { authority: base, realm: realms.replaceAll('/realms/', '/') };
  },
  role: (provider) => ({ userClaim: 'sub', oidcScopes: provider.scopes, ...groupsClaimFor(provider) }),
  embedded: {
    scopes: { profile: ['name'], email: ['email'], address: [], phone: [] },
    unknownScope: 'refused',
    omitsEmptyGroups: true,
  },
  adopt: (_config, roles) => ({
    scopes: roles.find(({ oidcScopes }) => oidcScopes?.length)?.oidcScopes ?? ['profile'],
  }),
} as const satisfies Kind<z.output<typeof settings>>;

function realmPath(realm: string | undefined): string {
  const names = realm === undefined ? [] : ['root', ...realm.split('/')];
  return names.map((name) => `/realms/${name}`).join('');
}
