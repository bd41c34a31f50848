import { z } from 'zod';
import { instant } from '../values/instant.ts';
import { authority, type Kind, oidcShape, ProviderKind } from './kind.ts';

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
    kind: z.literal(ProviderKind.cloudDirectory),
    /** Base URL of the directory's sign-in service. Defaults to `https://login.microsoftonline.com`. */
    authority: authority.default('https://login.microsoftonline.com'),
    /** The directory: its tenant id or one of its domains. */
    tenantId: z.string().regex(/^[\w.-]+$/, 'a tenant is a GUID or a domain'),
    /** Absent when `application` is given: then the program creates the application. */
    clientId: z.string().min(1).optional(),
    application: application.optional(),
    /** Default scope of the directory's graph API. Defaults to `https://graph.microsoft.com/.default`. */
    graphScope: z.string().min(1).default('https://graph.microsoft.com/.default'),
    /** True when people may be in more than 200 groups: the service then asks the directory. Defaults to false. */
    manyGroups: z.boolean().default(false),
  })
  .refine(({ clientId, application: created }) => (clientId === undefined) !== (created === undefined), {
    path: ['clientId'],
    message: 'exactly one of clientId (an application that exists) and application (one to create) is needed',
  });
export type CloudDirectorySettings = z.output<typeof settings>;

/** Cloud directory provider (interface.md B-2, first row). */
export const cloudDirectory = {
  kind: ProviderKind.cloudDirectory,
  methodType: 'oidc',
  settings,
  config: (given) => ({
    oidcDiscoveryUrl: `${given.authority}/${given.tenantId}/v2.0`,
    ...(given.clientId === undefined ? {} : { oidcClientId: given.clientId }),
    ...(given.manyGroups ? { providerConfig: { provider: 'cloud_directory' as const } } : {}),
  }),
  role: (given) => ({
    userClaim: 'email',
    groupsClaim: 'groups',
    oidcScopes: [given.manyGroups ? 'profile' : given.graphScope],
    policies: ['default'],
  }),
} satisfies Kind<CloudDirectorySettings>;
