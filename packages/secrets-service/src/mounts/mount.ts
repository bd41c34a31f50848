import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { AuthMethod } from '@gatehouse/core/graph';
import { z } from 'zod';
import type { RequestContext } from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { all, strings, texts, textsByName } from '../protocol/schemas.ts';
import { Collection, type Space } from '../storage/storage.ts';

/** Default and maximum lifetime of a token: 32 days, in seconds. */
export const systemTtl = 768 * 3600;

/** Tuned lists that `tuneFields` does not have: stored and returned, without effect here. */
export const tunedLists = [
  'passthrough_request_headers',
  'allowed_response_headers',
  'audit_non_hmac_request_keys',
  'audit_non_hmac_response_keys',
] as const;

/** The tune of a mount. Times are seconds; 0 means the service's own. */
export type MountConfig = {
  default_lease_ttl: number;
  max_lease_ttl: number;
  token_type: string;
  listing_visibility?: string;
} & { [List in (typeof tunedLists)[number]]?: string[] };

/** A mount of any type: an auth method, or a built-in one. */
export interface AnyMount {
  /** Below `auth/` for auth methods, without slashes at its ends. */
  path: string;
  type: string;
  accessor: string;
  description: string;
  /** Configuration and roles are stored under this id, so they move with the mount. */
  uuid: string;
  local: boolean;
  config: Partial<MountConfig>;
  /** Defaults to false. */
  seal_wrap?: boolean;
}

export interface Mount extends AnyMount {
  type: AuthMethod['type'];
  /** Stored and returned, without effect. */
  options: Record<string, string> | null;
  config: MountConfig;
}

/** The auth methods of each namespace, by path. Configuration and roles are stored apart. */
export const methods = new Collection<Mount>('mount', 'auth');

export function newMount(mount: Omit<Mount, 'accessor' | 'uuid'>): Mount {
  return { ...mount, accessor: `auth_${mount.type}_${randomBytes(4).toString('hex')}`, uuid: randomUUID() };
}

/** Most parts in the path of a mount: every request tries that many prefixes. */
export const deepestMount = 32;

/** The mount that a path below `auth/` belongs to, and the rest of the path. */
export function findMount(space: Space, path: string): { mount: Mount; rest: string } | undefined {
  const parts = path.split('/');
  for (let length = Math.min(parts.length, deepestMount); length > 0; length -= 1) {
    const mount = methods.get(space, parts.slice(0, length).join('/'));
    if (mount !== undefined) return { mount, rest: parts.slice(length).join('/') };
  }
  return undefined;
}

/** Accessor and id of a mount that every namespace has. They do not change between starts. */
export function fixedIds(path: string, type: string, namespace: string) {
  const id = createHash('sha256').update(`${path} mount of ${namespace}`).digest('hex');
  return {
    accessor: `${type}_${id.slice(0, 8)}`,
    uuid: id.slice(8, 40).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
  };
}

/** The token method, which every namespace has. */
export function tokenMount(namespace: string): AnyMount {
  return {
    ...fixedIds('token', 'auth_token', namespace),
    path: 'token',
    type: namespace === '' ? 'token' : 'ns_token',
    description: 'token based credentials',
    local: false,
    config: {
      default_lease_ttl: 0,
      max_lease_ttl: 0,
      token_type: namespace === '' ? 'default-service' : 'default',
    },
  };
}

const configSchema = {
  ...all(z.int(), 'default_lease_ttl', 'max_lease_ttl'),
  ...all(z.string().optional(), 'token_type', 'listing_visibility'),
  ...all(texts.optional(), ...tunedLists),
  force_no_cache: z.boolean(),
};
export const mountFields = {
  ...strings('accessor', 'description', 'type', 'uuid'),
  ...all(z.boolean(), 'external_entropy_access', 'local', 'seal_wrap'),
  config: z.strictObject(configSchema),
  options: textsByName.nullable(),
};
export const mountSchema = z.strictObject(mountFields);
export const tuneSchema = z.strictObject({ ...configSchema, description: z.string() });

export function mountData({ path: _, config, ...mount }: AnyMount): Record<string, unknown> {
  return {
    external_entropy_access: false,
    options: null,
    seal_wrap: false,
    ...mount,
    config: { ...config, force_no_cache: false },
  };
}

/** A mount's tune as reads return it, with the service's times where the mount has none. */
export function tuneData({ config, description }: AnyMount): Record<string, unknown> {
  return {
    ...config,
    default_lease_ttl: config.default_lease_ttl || systemTtl,
    max_lease_ttl: config.max_lease_ttl || systemTtl,
    description,
    force_no_cache: false,
  };
}

export function mountsData(mounts: AnyMount[]): Record<string, unknown> {
  const entries = mounts.map((mount) => [`${mount.path}/`, mountData(mount)] as const);
  return Object.fromEntries(entries.sort(([path], [otherPath]) => (path < otherPath ? -1 : 1)));
}

/**
 * The mount that a request for `auth/{mount}/…` is about.
 *
 * @throws {RequestRefusal} 404 if it was disabled in the meantime
 */
export function mountOf(context: RequestContext): Mount {
  const mount = methods.get(context, context.parameters.mount);
  if (mount !== undefined) return mount;
  throw new RequestRefusal(404, `no handler for route "${context.path}". route entry not found.`);
}

/** All auth methods of a namespace, the token method last. */
export function authMounts(space: Space): AnyMount[] {
  return [...methods.all(space), tokenMount(space.namespace)];
}

/** The mount of an alias's accessor; undefined once it is disabled. */
export function mountOfAccessor(space: Space, accessor: string): AnyMount | undefined {
  return authMounts(space).find((mount) => mount.accessor === accessor);
}
