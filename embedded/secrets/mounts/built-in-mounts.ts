import { createHash } from 'node:crypto';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type AnyMount, mountData, mountsData, systemTtl } from './mount.ts';

/** What is mounted in every namespace of a real server beside auth methods. This service keeps no secrets of its own. */
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

/** The mounts that a namespace always has; in each namespace but the root one they are types of their own. */
export function builtInMounts(namespace: string): AnyMount[] {
  return builtIn.map(({ type, config, ...mount }) => {
    const id = createHash('sha256').update(`${mount.path} mount of ${namespace}`).digest('hex');
    return {
      ...mount,
      type: namespace === '' ? type : `ns_${type}`,
      accessor: `${type}_${id.slice(0, 8)}`,
      uuid: id.slice(8, 40).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      config: { default_lease_ttl: 0, max_lease_ttl: 0, ...config },
    };
  });
}

/** What is mounted beside auth methods, for clients that ask: it can be read, and nothing can be added. */
export const mountListPaths: SecretsPath[] = [
  {
    pattern: 'sys/mounts',
    operations: { read: ({ request }) => ({ data: mountsData(builtInMounts(request.namespace)) }) },
  },
  { pattern: 'sys/mounts/:name', operations: { read } },
  { pattern: 'sys/mounts/:name/tune', operations: { read: readTune } },
];

function mountNamed({ request, parameters }: RequestContext) {
  return builtInMounts(request.namespace).find(({ path }) => path === parameters['name']);
}

function read(context: RequestContext): Reply {
  const mount = mountNamed(context);
  if (mount === undefined) {
    throw new Refusal(400, `No secret engine mount at ${context.parameters['name']}/`);
  }
  return { data: mountData(mount) };
}

function readTune(context: RequestContext): Reply {
  const mount = mountNamed(context);
  if (mount === undefined) {
    throw new Refusal(400, `cannot fetch sysview for path "${context.parameters['name']}/"`);
  }
  const { description, config } = mount;
  const times = { default_lease_ttl: systemTtl, max_lease_ttl: systemTtl };
  return { data: { ...config, ...times, description, force_no_cache: false } };
}
