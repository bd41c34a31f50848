import { isMethodType } from '../../../core/model/resources/auth-method.ts';
import { type Fields, flagField, mapField, textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { revokeTokensOf } from '../tokens/token-store.ts';
import {
  deepestMount,
  deleteMount,
  findMount,
  getMount,
  listMounts,
  mountDataKey,
  newMount,
  putMount,
  tokenMount,
} from './mount.ts';
import { mountData, mountsData } from './mount-data.ts';
import { tuneData, tuned, untuned } from './mount-tune.ts';

/** Enabling, listing, reading, tuning and disabling auth methods. */
export const mountPaths: SecretsPath[] = [
  { pattern: 'sys/auth', operations: { read: list, list } },
  { pattern: 'sys/auth/:path+', operations: { read, update, delete: disable } },
  { pattern: 'sys/mounts/auth/:path+', operations: { read: readTune, update: writeTune } },
];

const pathOf = ({ parameters }: RequestContext) => (parameters['path'] ?? '').replace(/^\/+|\/+$/g, '');

function list({ storage, request: { namespace } }: RequestContext): Reply {
  return { data: mountsData([...listMounts(storage, namespace), tokenMount(namespace)]) };
}

function read(context: RequestContext): Reply {
  const path = pathOf(context);
  const { namespace } = context.request;
  const mount = path === 'token' ? tokenMount(namespace) : getMount(context.storage, namespace, path);
  if (mount !== undefined) return { data: mountData(mount) };
  if (path.endsWith('/tune')) return readTune(context);
  throw new Refusal(400, `No auth engine at ${path}/`);
}

function update(context: RequestContext): Reply {
  return pathOf(context).endsWith('/tune') ? writeTune(context) : enable(context);
}

function enable(context: RequestContext): Reply {
  const { storage, request } = context;
  const { namespace, body } = request;
  const path = pathOf(context);
  const type = textField(body, 'type') ?? '';
  if (type === '') throw new Refusal(400, 'backend type must be specified as a string');
  if (!isMethodType(type)) throw new Refusal(400, `plugin not found in the catalog: ${type}`);
  const fields: Fields = mapField(body, 'config') ?? {};
  // Some clients send empty texts for times that they leave to the service.
  const config = tuned(untuned, Object.fromEntries(Object.entries(fields).filter(([, one]) => one !== '')), {
    unreadable: (which, given) => `unable to parse ${which} TTL of ${given}: `,
    tooLong: () => 'given default lease TTL greater than given max lease TTL',
  });
  const description = textField(body, 'description') ?? '';
  const local = flagField(body, 'local') ?? false;
  return storage.transaction(() => {
    refuseTaken(storage, namespace, path, (taken) => `path is already in use at ${taken}/`);
    putMount(storage, namespace, newMount({ path, type, description, local, config }));
    return {};
  });
}

/** @throws Refusal 400 when there is a mount at the path, above it or below it. */
export function refuseTaken(
  storage: RequestContext['storage'],
  namespace: string,
  path: string,
  message: (taken: string) => string,
): void {
  if (path === 'token' || path.startsWith('token/')) throw new Refusal(400, message('token'));
  if (path.split('/').length > deepestMount) {
    throw new Refusal(400, `a path may have ${deepestMount} parts at most`);
  }
  const taken =
    findMount(storage, namespace, path)?.mount ??
    listMounts(storage, namespace).find((mount) => mount.path.startsWith(`${path}/`));
  if (taken !== undefined) throw new Refusal(400, message(taken.path));
}

/**
 * Revokes the tokens that the method gave. Aliases on it stay, orphaned. A method that is not there is no error. All
 * as with real servers.
 */
function disable(context: RequestContext): Reply {
  const { storage, request } = context;
  const path = pathOf(context);
  if (path === 'token') throw new Refusal(400, 'token credential backend cannot be disabled');
  return storage.transaction(() => {
    const mount = getMount(storage, request.namespace, path);
    if (mount === undefined) return {};
    deleteMount(storage, request.namespace, path);
    revokeTokensOf(storage, request.namespace, `auth/${path}/`);
    for (const [key] of storage.list(mountDataKey(request.namespace, mount, ''))) storage.delete(key);
    return {};
  });
}

function tunePath(context: RequestContext): string {
  const path = pathOf(context);
  if (path.endsWith('/tune')) return path.slice(0, -'/tune'.length);
  throw new Refusal(404, `no handler for route "${context.request.path}". route entry not found.`);
}

function readTune(context: RequestContext): Reply {
  const path = tunePath(context);
  const { namespace } = context.request;
  if (path === 'token') return { data: tuneData({ ...tokenMount(namespace), type: 'jwt' }) };
  const mount = getMount(context.storage, namespace, path);
  if (mount === undefined) throw new Refusal(400, `cannot fetch sysview for path "auth/${path}/"`);
  return { data: tuneData(mount) };
}

function writeTune(context: RequestContext): Reply {
  const { storage, request } = context;
  const path = tunePath(context);
  return storage.transaction(() => {
    const mount = getMount(storage, request.namespace, path);
    if (mount === undefined) {
      throw new Refusal(400, `tune of path "auth/${path}/" failed: no mount entry found`);
    }
    putMount(storage, request.namespace, {
      ...mount,
      config: tuned(mount.config, request.body),
      description: textField(request.body, 'description') ?? mount.description,
    });
    return {};
  });
}
