import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { builtInMounts } from './built-in-mounts.ts';
import { systemTtl } from './mount.ts';
import { mountData, mountsData } from './mount-data.ts';

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
