import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { isMethodType, type MethodType } from '../../../core/model/resources/auth-method.ts';
import type { RequestContext } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type Json, key, type Storage } from '../storage/storage.ts';

/** How long a token lives where nothing says otherwise, and at most: 32 days, in seconds. */
export const systemTtl = 768 * 3600;

/** How tokens of a mount are made, and who sees the mount. Times are seconds; 0 means the service's own. */
export type MountConfig = {
  default_lease_ttl: number;
  max_lease_ttl: number;
  token_type: string;
  listing_visibility?: string;
  /** Kept and given back; the service has no such headers and no audit. */
  passthrough_request_headers?: string[];
  allowed_response_headers?: string[];
  audit_non_hmac_request_keys?: string[];
  audit_non_hmac_response_keys?: string[];
};

/** An auth method: where it is mounted, and what it is. */
export type Mount = {
  /** Below `auth/`, without slashes at its ends. */
  path: string;
  type: MethodType;
  accessor: string;
  description: string;
  /** Its configuration and roles are kept under this id, so they follow a mount that moves. */
  uuid: string;
  local: boolean;
  config: MountConfig;
};

const mountKey = (namespace: string, path: string) => key(namespace, 'mount', 'auth', path);

export function newMount(mount: Pick<Mount, 'path' | 'type' | 'description' | 'local' | 'config'>): Mount {
  return { ...mount, accessor: `auth_${mount.type}_${randomBytes(4).toString('hex')}`, uuid: randomUUID() };
}

export function putMount(storage: Storage, namespace: string, mount: Mount): void {
  storage.put(mountKey(namespace, mount.path), mount as unknown as Json);
}

export function getMount(storage: Storage, namespace: string, path: string): Mount | undefined {
  return storage.get(mountKey(namespace, path)) as Mount | undefined;
}

/** The mounts of a namespace, by path. */
export function listMounts(storage: Storage, namespace: string): Mount[] {
  return storage.list(mountKey(namespace, '')).map(([, mount]) => mount as unknown as Mount);
}

/** Forgets where the mount is, and neither its configuration nor its roles. */
export function deleteMount(storage: Storage, namespace: string, path: string): void {
  storage.delete(mountKey(namespace, path));
}

/** Parts that the path of a mount may have: each request looks through as many, known or not. */
export const deepestMount = 32;

/** The mount that a path below `auth/` belongs to, and what of the path is left. */
export function findMount(
  storage: Storage,
  namespace: string,
  path: string,
): { mount: Mount; rest: string } | undefined {
  const parts = path.split('/');
  for (let length = Math.min(parts.length, deepestMount); length > 0; length -= 1) {
    const mount = getMount(storage, namespace, parts.slice(0, length).join('/'));
    if (mount !== undefined) return { mount, rest: parts.slice(length).join('/') };
  }
  return undefined;
}

/** Where the configuration, roles and whatever else of a mount are kept. */
export function mountDataKey(namespace: string, { uuid }: Mount, ...parts: string[]): string {
  return key(namespace, 'auth', uuid, ...parts);
}

/** The method of tokens is always there; each namespace has its own accessor for it. */
export function tokenMount(namespace: string): Omit<Mount, 'type'> & { type: 'token' | 'ns_token' } {
  const id = createHash('sha256').update(`token mount of ${namespace}`).digest('hex');
  return {
    path: 'token',
    type: namespace === '' ? 'token' : 'ns_token',
    accessor: `auth_token_${id.slice(0, 8)}`,
    description: 'token based credentials',
    uuid: id.slice(8, 40).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    local: false,
    config: {
      default_lease_ttl: 0,
      max_lease_ttl: 0,
      token_type: namespace === '' ? 'default-service' : 'default',
    },
  };
}

/** What is known of any mount, of auth methods and of what is built in. */
export interface AnyMount {
  path: string;
  type: string;
  accessor: string;
  description: string;
  uuid: string;
  local: boolean;
  config: Partial<MountConfig>;
  /** Defaults to false. */
  seal_wrap?: boolean;
}

/** A mount as a read or a list of mounts answers it. */
export function mountData({ path: _, config, ...mount }: AnyMount): Record<string, unknown> {
  return {
    external_entropy_access: false,
    options: isMethodType(mount.type) ? {} : null,
    seal_wrap: false,
    ...mount,
    config: { ...config, force_no_cache: false },
  };
}

/** Several mounts by their paths, in order. */
export function mountsData(mounts: AnyMount[]): Record<string, unknown> {
  const entries = mounts.map((mount) => [`${mount.path}/`, mountData(mount)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The mount that a request for `auth/{mount}/…` is about. Asked again after a wait, it says whether it is still there. */
export function mountOf({ storage, request, parameters }: RequestContext): Mount {
  const mount = getMount(storage, request.namespace, parameters['mount'] ?? '');
  if (mount !== undefined) return mount;
  throw new Refusal(404, `no handler for route "${request.path}". route entry not found.`);
}

/** The mount that the aliases with this accessor belong to; none once it was disabled: they are orphaned. */
export function mountOfAccessor(
  storage: Storage,
  namespace: string,
  accessor: string,
): { path: string; type: string; local: boolean } | undefined {
  const mounts = [...listMounts(storage, namespace), tokenMount(namespace)];
  return mounts.find((mount) => mount.accessor === accessor);
}
