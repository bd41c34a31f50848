import { createHash } from 'node:crypto';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type AnyMount, mountData, mountsData, systemTtl } from './mount.ts';

/** What is mounted in every namespace of a real server besides auth methods. This service stores no secrets. */
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

/** The mounts that are not auth methods, for clients that ask. They can be read; none can be added. */
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
