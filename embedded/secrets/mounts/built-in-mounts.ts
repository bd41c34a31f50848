import { type RequestContext, readOnly, type SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type AnyMount, fixedIds, mountData, mountsData, tuneData } from './mount.ts';

/** What every namespace of a real server has mounted in addition to auth methods: only listed, without secrets. */
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

export const mountListPaths: SecretsPath[] = [
  readOnly('sys/mounts', ({ namespace }) => ({ data: mountsData(builtInMounts(namespace)) })),
  readOnly('sys/mounts/:name', (context) => ({
    data: mountData(named(context, (name) => `No secret engine mount at ${name}/`)),
  })),
  readOnly('sys/mounts/:name/tune', (context) => ({
    data: tuneData(named(context, (name) => `cannot fetch sysview for path "${name}/"`)),
  })),
];

function named({ namespace, parameters }: RequestContext, missing: (name: string) => string): AnyMount {
  const { name = '' } = parameters;
  const mount = builtInMounts(namespace).find(({ path }) => path === name);
  if (mount === undefined) throw new Refusal(400, missing(name));
  return mount;
}
