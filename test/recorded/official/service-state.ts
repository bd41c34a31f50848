import { ask, type Server } from '../../harness/ask.ts';

type Fields = Record<string, any>;

/** What a service draws or counts by itself: the same state has others. */
const drawn = [
  'accessor',
  'uuid',
  'id',
  'creation_time',
  'last_update_time',
  'modify_index',
  'modified',
  'version',
];

/** Lists of roles whose order means nothing: sets, to the official plugin. Ids come in any order, too. */
const isSet = /(allowed_redirect_uris|bound_audiences|oidc_scopes|token_bound_cidrs|token_policies|_ids)$/;

/**
 * Everything that a service can be asked about how people and workloads sign in, as leaves by their places. Ids are the names
 * of what they stand for: two services in the same state have the same leaves. What is empty has none: the official plugin's
 * client also writes empty lists and maps, and a list of one empty text for each that a tune does not set.
 */
export async function stateOf(server: Server): Promise<Map<string, unknown>> {
  const names = new Map<string, string>();
  const state = await readNamespace(server, '', names);
  const named = (text: string) =>
    [...names].reduce((renamed, [id, name]) => renamed.replaceAll(id, name), text);
  const leaves = new Map<string, unknown>();
  const walk = (value: unknown, place: string): void => {
    if (typeof value === 'string') {
      if (value !== '') leaves.set(place, named(value));
    } else if (Array.isArray(value)) {
      const entries = isSet.test(place) ? value.map(named).sort() : value;
      for (const [at, inner] of entries.entries()) walk(inner, `${place} ${at}`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (!drawn.includes(name)) walk(inner, place === '' ? name : `${place} ${name}`);
      }
    } else if (value !== null) leaves.set(place, value);
  };
  walk(state, '');
  return leaves;
}

async function readNamespace(server: Server, namespace: string, names: Map<string, string>): Promise<Fields> {
  const read = async (path: string): Promise<Fields> =>
    (await ask(server, { method: 'GET', path, namespace })).body?.data ?? {};
  const keys = async (path: string): Promise<string[]> =>
    (await ask(server, { method: 'LIST', path, namespace })).body?.data?.keys ?? [];
  const each = async (path: string, all: string[]): Promise<Fields> =>
    Object.fromEntries(await Promise.all(all.map(async (name) => [name, await read(`${path}/${name}`)])));

  const methods: Fields = {};
  for (const [folder, mount] of Object.entries(await read('sys/auth')) as [string, Fields][]) {
    const path = `auth/${folder.slice(0, -1)}`;
    names.set(mount['accessor'], path);
    if (mount['type'] !== 'jwt' && mount['type'] !== 'oidc') continue;
    methods[path] = {
      mount,
      tune: await read(`sys/mounts/${path}/tune`),
      config: await read(`${path}/config`),
      roles: await each(`${path}/role`, await keys(`${path}/role`)),
    };
  }
  const groups = Object.values(await each('identity/group/id', await keys('identity/group/id')));
  for (const { id, name } of groups) names.set(id, `group ${name}`);
  const policies = await each('sys/policies/acl', await keys('sys/policies/acl'));
  const within: Fields = {};
  for (const folder of await keys('sys/namespaces')) {
    const name = folder.slice(0, -1);
    within[name] = {
      ...(await read(`sys/namespaces/${name}`)),
      ...(await readNamespace(server, namespace === '' ? name : `${namespace}/${name}`, names)),
    };
  }
  return {
    methods,
    groups: Object.fromEntries(groups.map((group) => [group['name'], group])),
    policies,
    namespaces: within,
  };
}
