import { z } from 'zod';
import { isSame } from '../resources/field.ts';
import { suiteLookup, userInfoNeedsSchemas } from '../resources/provider-config.ts';
import { authority, groupsClaimFor, type Kind, oidcConfig, oidcShape, reportIn } from './kind.ts';

const issuer = '<authority>';
const publicAuthority = 'https://accounts.google.com';

/** The only scopes to delegate to the service account (docs/inside/specification.md B-3, 2). */
export const delegatedScopes = [
  'https://www.googleapis.com/auth/admin.directory.group.readonly',
  'https://www.googleapis.com/auth/admin.directory.user.readonly',
] as const;

/** Group and user lookup in the suite's directory (docs/inside/specification.md B-3). */
const directory = z
  .strictObject({
    /** On the secrets service's host. The key itself is a secret, under `gatehouse:serviceAccountKeys`. */
    serviceAccountFile: z.string().min(1).optional(),
    adminImpersonate: z.email(),
    fetchGroups: z.boolean().default(true),
    ...suiteLookup,
  })
  .check(userInfoNeedsSchemas);

const domain = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain, for example example.com');

const settings = z
  .strictObject({
    ...oidcShape,
    kind: z.literal('workspace_suite'),
    authority: authority.default(publicAuthority),
    hostedDomain: z.union([domain, z.array(domain).min(1)]).optional(),
    directory: directory.optional(),
  })
  .check((context) => {
    const { directory: lookUp, hostedDomain, roles } = context.value;
    const report = reportIn(context);
    roles.forEach(({ boundClaims }, index) => {
      const own = boundClaims?.['hd'];
      if (hostedDomain === undefined || own === undefined || isSame(own, hostedDomain)) return;
      const at = ['roles', index, 'boundClaims', 'hd'];
      report(at, 'hostedDomain already binds this claim; set one of the two');
    });
    if (lookUp === undefined || !(lookUp.fetchGroups || lookUp.fetchUserInfo)) return;
    roles.forEach(({ userClaim = 'sub' }, index) => {
      if (['sub', 'email'].includes(userClaim)) return;
      const message = `the service looks up groups or user info by this claim; set sub or email, not ${userClaim}`;
      report(['roles', index, 'userClaim'], message);
    });
  });

/** Workspace suite provider (docs/inside/specification.md B-2, fifth row, and B-3). */
export const workspaceSuite = {
  kind: 'workspace_suite',
  products: ['Google Workspace', 'Google', 'G Suite'],
  methodType: 'oidc',
  settings,
  issuer,
  config: (provider) => {
    if (provider.directory === undefined) return oidcConfig(issuer, provider);
    const { serviceAccountFile = '', adminImpersonate, ...fetched } = provider.directory;
    return {
      ...oidcConfig(issuer, provider),
      providerConfig: {
        provider: 'workspace_suite' as const,
        suiteServiceAccount: serviceAccountFile,
        suiteAdminImpersonate: adminImpersonate,
        ...fetched,
      },
    };
  },
  role: (provider) => ({
    userClaim: 'sub',
    oidcScopes: ['profile', 'email'],
    ...(provider.hostedDomain === undefined ? {} : { boundClaims: { hd: provider.hostedDomain } }),
    ...(provider.directory?.fetchGroups ? { groupsClaim: 'groups' } : groupsClaimFor(provider)),
  }),
  secrets({ directory }) {
    const hasKey =
      directory && (directory as { serviceAccountFile?: unknown }).serviceAccountFile === undefined;
    return hasKey ? ['clientSecrets', 'serviceAccountKeys'] : ['clientSecrets'];
  },
  hosts: /^accounts\.google\.com$/,
  embedded: {
    scopes: { profile: ['name'], email: ['email', 'email_verified'] },
    otherScopes: /^https:\/\/www\.googleapis\.com\/auth\/[\w.]+$/,
    unknownScope: 'stopped',
    // Never groups: the service looks them up in the directory.
    claims: ['hd'],
  },
  keepsStrangersOut: 'Set hostedDomain to the domain of your organization.',
  adopt({ providerConfig, oidcDiscoveryUrl }, roles) {
    const [hd, ...rest] = roles.map(({ boundClaims }) => boundClaims?.['hd']);
    const bound = rest.every((other) => isSame(other, hd)) ? { hostedDomain: hd } : {};
    const hosted = settings.shape.hostedDomain.safeParse(hd).success && hd !== undefined ? bound : {};
    if (providerConfig?.provider !== 'workspace_suite') {
      return oidcDiscoveryUrl === publicAuthority ? hosted : undefined;
    }
    // The service never returns the key.
    const { provider: _, suiteServiceAccount: _key, suiteAdminImpersonate, ...fetched } = providerConfig;
    return { ...hosted, directory: { adminImpersonate: suiteAdminImpersonate, ...fetched } };
  },
} as const satisfies Kind<z.output<typeof settings>>;
