import { z } from 'zod';
import { type Reply, type RequestContext, readOnly, type SecretsPath } from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import type { Space } from '../storage/storage.ts';
import {
  type AnyMount,
  findMount,
  fixedIds,
  mountData,
  mountSchema,
  mountsData,
  tokenMount,
  tuneData,
  tuneSchema,
} from './mount.ts';

/** Mounts that every namespace of a real server has in addition to auth methods. Here they are only listed. */
const builtIn = [
  {
    path: 'cubbyhole',
    type: 'cubbyhole',
    description: 'per-token private secret storage',
    local: true,
    config: {},
  },
  {
    path: 'identity',
    type: 'identity',
    description: 'identity store',
    local: false,
    config: { passthrough_request_headers: ['Authorization'] },
  },
  {
    path: 'sys',
    type: 'system',
    description: 'system endpoints used for control, policy and debugging',
    local: false,
    config: { passthrough_request_headers: ['Accept'] },
    seal_wrap: true,
  },
];

/** The built-in mounts of a namespace; below the root namespace their types begin with `ns_`. */
export function builtInMounts(namespace: string): AnyMount[] {
  return builtIn.map(({ type, config, ...mount }) => ({
    ...mount,
    ...fixedIds(mount.path, type, namespace),
    type: namespace === '' ? type : `ns_${type}`,
    config: { default_lease_ttl: 0, max_lease_ttl: 0, ...config },
  }));
}

/** The mount that answers a path, and where it is: `auth/staff/`, below the path of its namespace. */
export function answeringMount(
  space: Space & { namespace: string },
  path: string,
): { point: string; mount: AnyMount } | undefined {
  const { namespace } = space;
  const [top = '', ...rest] = path.split('/');
  const prefix = namespace === '' ? '' : `${namespace}/`;
  if (top !== 'auth') {
    const mount = builtInMounts(namespace).find((candidate) => candidate.path === top);
    return mount && { point: `${prefix}${top}/`, mount };
  }
  const mount = rest[0] === 'token' ? tokenMount(namespace) : findMount(space, rest.join('/'))?.mount;
  return mount && { point: `${prefix}auth/${mount.path}/`, mount };
}

export const mountListPaths: SecretsPath[] = [
  readOnly('sys/mounts', 'List the mounts that are not auth methods', list, {
    data: z.record(z.string(), mountSchema),
  }),
  readOnly('sys/mounts/:name', 'Read such a mount', read, { data: mountSchema }),
  readOnly('sys/mounts/:name/tune', 'Read the tune of such a mount', readTune, { data: tuneSchema }),
];

function list({ namespace }: RequestContext): Reply {
  return { data: mountsData(builtInMounts(namespace)) };
}

function read(context: RequestContext): Reply {
  return { data: mountData(named(context, (name) => `No secret engine mount at ${name}/`)) };
}

function readTune(context: RequestContext): Reply {
  return { data: tuneData(named(context, (name) => `cannot fetch sysview for path "${name}/"`)) };
}

function named({ namespace, parameters: { name } }: RequestContext, missing: (name: string) => string) {
  const mount = builtInMounts(namespace).find(({ path }) => path === name);
  if (mount === undefined) throw new RequestRefusal(400, missing(name));
  return mount;
}
