import { z } from 'zod';
import { limits } from '../values/limits.ts';
import { splitTextList } from '../values/text-list.ts';
import { type Dialect, names } from '../values/wire.ts';

/** `provider_config` of a cloud directory with people in more than 200 groups (docs/inside/specification.md B3). */
const cloudDirectoryConfig = z.strictObject({ provider: z.literal('cloud_directory') });

/** What a suite is asked for beyond groups: in a `provider_config`, and in the settings of its kind. */
export const suiteLookup = {
  /** Whether user info is fetched, by `userCustomSchemas`. Defaults to false. */
  fetchUserInfo: z.boolean().default(false),
  /** Depth to which groups of groups are followed. Defaults to 0: not at all. */
  groupsRecurseMaxDepth: z.int().min(0).default(limits.groupsRecurseMaxDepth),
  /** Custom schemas whose values become claims. Required if `fetchUserInfo`. */
  userCustomSchemas: z
    .array(
      z
        .string()
        .min(1)
        .regex(/^[^,]*$/, 'a text of a list holds no comma: make it several'),
    )
    .optional(),
};

/** The check of what holds {@link suiteLookup}. */
export const userInfoNeedsSchemas = z.refine<{
  fetchUserInfo: boolean;
  userCustomSchemas?: string[] | undefined;
}>((given) => !given.fetchUserInfo || (given.userCustomSchemas ?? []).length > 0, {
  path: ['userCustomSchemas'],
  message: 'userCustomSchemas is required when fetchUserInfo is true',
});

/** `provider_config` of a workspace suite (docs/inside/specification.md B3). */
const workspaceSuiteConfig = z
  .strictObject({
    provider: z.literal('workspace_suite'),
    /**
     * Path of a service account key file on the secrets service's host, or the key's JSON text. The text is a
     * secret: in an environment it stands under `gatehouse:serviceAccountKeys`.
     */
    suiteServiceAccount: z.string().min(1),
    /** Email address of the administrator to impersonate. */
    suiteAdminImpersonate: z.email(),
    /** Whether groups are fetched from the suite. Defaults to false. */
    fetchGroups: z.boolean().default(false),
    ...suiteLookup,
  })
  .check(userInfoNeedsSchemas);

export const providerConfig = z.discriminatedUnion('provider', [cloudDirectoryConfig, workspaceSuiteConfig]);
export type ProviderConfig = z.output<typeof providerConfig>;

/** Whether a name on the wire, in either dialect, is one that a provider config of a kind has. */
export function isInProviderConfig(provider: ProviderConfig['provider'], name: string): boolean {
  if (name === 'provider') return true;
  const lookedUp = ['fetch_groups', 'fetch_user_info', 'groups_recurse_max_depth', 'user_custom_schemas'];
  const own = Object.values(names).flatMap((words) => [
    words.suiteServiceAccount,
    words.suiteAdminImpersonate,
  ]);
  return provider === 'workspace_suite' && [...lookedUp, ...own].includes(name);
}

/**
 * A provider config as the map of texts that the official resource takes, named as the dialect wants. Values
 * that are defaults are left out: the service need not hold what it would do anyway.
 */
export function providerConfigToWire(config: ProviderConfig, dialect: Dialect): Record<string, string> {
  const words = names[dialect];
  if (config.provider === 'cloud_directory') return { provider: words.cloudDirectory };
  return {
    provider: words.workspaceSuite,
    [words.suiteServiceAccount]: config.suiteServiceAccount,
    [words.suiteAdminImpersonate]: config.suiteAdminImpersonate,
    ...(config.fetchGroups && { fetch_groups: 'true' }),
    ...(config.fetchUserInfo && { fetch_user_info: 'true' }),
    ...(config.groupsRecurseMaxDepth !== limits.groupsRecurseMaxDepth && {
      groups_recurse_max_depth: String(config.groupsRecurseMaxDepth),
    }),
    ...(config.userCustomSchemas && { user_custom_schemas: config.userCustomSchemas.join(',') }),
  };
}

/**
 * Reads a `provider_config` from the wire, in either dialect. Booleans and numbers may come as such or as text
 * (docs/inside/measured/official-plugin.md#behavior). A config of a provider that Gatehouse does not set up reads as
 * undefined.
 */
export function providerConfigFromWire(wire: Record<string, unknown>): ProviderConfig | undefined {
  for (const words of Object.values(names)) {
    if (wire['provider'] === words.cloudDirectory) return { provider: 'cloud_directory' };
    if (wire['provider'] !== words.workspaceSuite) continue;
    const schemas = wire['user_custom_schemas'];
    return {
      provider: 'workspace_suite',
      suiteServiceAccount: String(wire[words.suiteServiceAccount] ?? ''),
      suiteAdminImpersonate: String(wire[words.suiteAdminImpersonate] ?? ''),
      fetchGroups: String(wire['fetch_groups']) === 'true',
      fetchUserInfo: String(wire['fetch_user_info']) === 'true',
      groupsRecurseMaxDepth: Number(wire['groups_recurse_max_depth'] ?? limits.groupsRecurseMaxDepth),
      ...(typeof schemas === 'string' && schemas !== '' ? { userCustomSchemas: splitTextList(schemas) } : {}),
    };
  }
  return undefined;
}
