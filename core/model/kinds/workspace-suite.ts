import { z } from 'zod';
import { limits } from '../values/limits.ts';
import { authority, groupsClaimFor, type Kind, oidcShape, ProviderKind } from './kind.ts';

/** Group and user lookup in the suite's directory (interface.md B-3). */
const directory = z
  .strictObject({
    /**
     * Path of the service account key file on the secrets service's host. Where the key itself is given instead,
     * it is a secret and stands under `gatehouse:serviceAccountKeys`.
     */
    serviceAccountFile: z.string().min(1).optional(),
    /** Email address of the administrator to impersonate. */
    adminImpersonate: z.email(),
    /** Defaults to true: a directory is given to look groups up. */
    fetchGroups: z.boolean().default(true),
    fetchUserInfo: z.boolean().default(false),
    groupsRecurseMaxDepth: z.int().min(0).default(limits.groupsRecurseMaxDepth),
    userCustomSchemas: z.array(z.string().min(1)).optional(),
  })
  .refine((given) => !given.fetchUserInfo || (given.userCustomSchemas ?? []).length > 0, {
    path: ['userCustomSchemas'],
    message: 'userCustomSchemas is required when fetchUserInfo is true',
  });

const settings = z
  .strictObject({
    ...oidcShape,
    kind: z.literal(ProviderKind.workspaceSuite),
    /** Base URL of the suite's sign-in service. Defaults to `https://accounts.google.com`. */
    authority: authority.default('https://accounts.google.com'),
    /** Group and user lookup. Defaults to none: people sign in, without groups. */
    directory: directory.optional(),
  })
  .check((context) => {
    const { directory: lookUp, roles } = context.value;
    if (lookUp === undefined || !(lookUp.fetchGroups || lookUp.fetchUserInfo)) return;
    roles.forEach((role, index) => {
      if (role.userClaim === undefined || ['sub', 'email'].includes(role.userClaim)) return;
      context.issues.push({
        code: 'custom',
        input: role.userClaim,
        path: ['roles', index, 'userClaim'],
        message: `the suite is asked for groups or user info by this claim, so it must be sub or email, not ${role.userClaim}`,
      });
    });
  });
export type WorkspaceSuiteSettings = z.output<typeof settings>;

/** Workspace suite provider (interface.md B-2, fifth row, and B-3). */
export const workspaceSuite = {
  kind: ProviderKind.workspaceSuite,
  methodType: 'oidc',
  settings,
  config: (given) => ({
    oidcDiscoveryUrl: given.authority,
    oidcClientId: given.clientId,
    ...(given.directory === undefined
      ? {}
      : {
          providerConfig: {
            provider: 'workspace_suite' as const,
            suiteServiceAccount: given.directory.serviceAccountFile ?? '',
            suiteAdminImpersonate: given.directory.adminImpersonate,
            fetchGroups: given.directory.fetchGroups,
            fetchUserInfo: given.directory.fetchUserInfo,
            groupsRecurseMaxDepth: given.directory.groupsRecurseMaxDepth,
            ...(given.directory.userCustomSchemas === undefined
              ? {}
              : { userCustomSchemas: given.directory.userCustomSchemas }),
          },
        }),
  }),
  role: (given) => ({
    userClaim: 'sub',
    oidcScopes: ['profile', 'email'],
    ...(given.directory?.fetchGroups ? { groupsClaim: 'groups' } : groupsClaimFor(given, 'groups')),
  }),
} satisfies Kind<WorkspaceSuiteSettings>;
