import { z } from 'zod';
import { instant } from '../values/instant.ts';
import { authority, type Kind, oidcConfig, oidcShape } from './kind.ts';

const issuer = '<authority>/<tenantId>/v2.0';
/** Scope with which the tokens carry groups. */
export const defaultGraphScope = 'https://graph.microsoft.com/.default';

/** What the program needs to create the application in the directory itself (with `@pulumi/azuread`). */
const application = z.strictObject({
  displayName: z.string().min(1),
  /** Which groups the token carries. Defaults to `SecurityGroup`. */
  groupMembership: z.enum(['All', 'SecurityGroup']).default('SecurityGroup'),
  /** When the created client secret ends. Defaults to the directory's own (two years). */
  secretEndDate: instant.optional(),
});

const settings = z
  .strictObject({
    ...oidcShape,
    kind: z.literal('cloud_directory'),
    /** Base URL of the directory's sign-in service. Defaults to `https://login.microsoftonline.com`. */
    authority: authority.default('https://login.microsoftonline.com'),
    /** The directory: its tenant id or one of its domains. */
    tenantId: z.string().regex(/^[\w.-]+$/, 'a tenant is a GUID or a domain'),
    /** Absent when `application` is given: then the program creates the application. */
    clientId: z.string().min(1).optional(),
    application: application.optional(),
    /** Default scope of the directory's graph API. Defaults to `https://graph.microsoft.com/.default`. */
    graphScope: z.string().min(1).default(defaultGraphScope),
    /** True when people may be in more than 200 groups: the service then asks the directory. Defaults to false. */
    manyGroups: z.boolean().default(false),
  })
  .refine(({ clientId, application: created }) => (clientId === undefined) !== (created === undefined), {
    path: ['clientId'],
    message: 'give exactly one of clientId (an existing application) and application (one to create)',
  });

/** Cloud directory provider (interface.md B-2, first row). */
export const cloudDirectory = {
  kind: 'cloud_directory',
  products: ['Microsoft Entra ID', 'Entra ID', 'Entra', 'Azure AD', 'Azure Active Directory'],
  methodType: 'oidc',
  settings,
  issuer,
  questions: [{ setting: 'tenantId', asks: 'tenant id of the directory, or one of its domains' }],
  config: (given) => ({
    ...oidcConfig(issuer, given),
    ...(given.manyGroups ? { providerConfig: { provider: 'cloud_directory' as const } } : {}),
  }),
  role: (given) => ({
    userClaim: 'email',
    groupsClaim: 'groups',
    oidcScopes: [given.manyGroups ? 'profile' : given.graphScope],
    policies: ['default'],
  }),
  // An application that is created comes with its secret.
  secrets: ({ application }) => (application === undefined ? ['clientSecrets'] : []),
  hosts: /^(login\.(microsoftonline\.(com|us)|partner\.microsoftonline\.cn)|sts\.windows\.net)$/,
  adopt: ({ providerConfig }) => (providerConfig?.provider === 'cloud_directory' ? { manyGroups: true } : {}),
  embedded: {
    issuer: { tenantId: '00000000-0000-4000-8000-000000000001' },
    scopes: { profile: ['name', 'preferred_username'], email: ['email'], offline_access: [] },
    // One without a resource is taken to be of its graph API. In national clouds that has other hosts.
    otherScopes: /^(https:\/\/[\w.-]+\/)?(\.default|[A-Z]\w+(\.\w+)+)$/,
    unknownScope: 'refused',
    // The application's optional claims.
    claims: ['email', 'groups'],
    omitsEmptyGroups: true,
    // Its tokens name groups by object ids. These are the ones in the dev stack.
    groupIds: {
      admins: '00000000-0000-0000-c000-000000000046',
      developers: '00000000-0000-0000-c000-000000000047',
    },
  },
} as const satisfies Kind<z.output<typeof settings>>;
