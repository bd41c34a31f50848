import {
  type AnyResource,
  emptyGraph,
  type Graph,
  type LiveGraph,
  liveGraphOf,
  message,
  namesIn,
  policy,
  resources,
  textsOf,
} from '@gatehouse/core/graph';
import { addAll, isObject, keepsToNamespace } from '@gatehouse/core/values';
import { readApart, readEntities, readGuards, readOtherMethods, readTokens } from './live-others.ts';
import { readSources } from './live-sources.ts';
import { infoOf, keysOf, nameOf, type OnRead, Reading, refused } from './reading.ts';
import type { JsonObject, ServiceClient } from './service-client.ts';

/** What of a service is read. */
export interface LiveGraphOptions {
  /** Paths of the methods to read with their roles. Defaults to all methods of type oidc or jwt. */
  methods?: string[];
  /** The declared graph, whose names are read if the token may not list. Defaults to nothing. */
  known?: Graph;
  /** Only read what is known, and groups that have a known alias. Defaults to false. */
  knownOnly?: boolean;
  /** Whether to read custom messages. Defaults to true. */
  messages?: boolean;
  /** Whether to read what no stack declares: of what is known, or, unless `knownOnly`, all of it. Defaults to false. */
  undeclared?: boolean;
  /** Whether it has all that can sign in, token roles, entities and the policy `default`. Defaults to false. */
  whole?: boolean;
  /** Whether `whole` has tokens that were issued, too: the token needs sudo. Defaults to false. */
  tokens?: boolean;
  /** Whether `whole` has what hands out credentials, too. Defaults to false: nothing that is declared hangs on it. */
  sources?: boolean;
  /** The most requests that it makes. The rest is unreadable. Defaults to no limit. */
  budget?: number;
  onRead?: OnRead;
}

/**
 * Reads the login set-up of a service: first the lists, then each part. Parts that cannot be read are `unreadable`, not
 * absent.
 *
 * @throws GatehouseError `not_a_service`, and those of the client, except for parts: `permission_denied`, `service_refused`, `path_invalid`, `not_found`
 */
export async function readLiveGraph(
  client: ServiceClient,
  options: LiveGraphOptions = {},
): Promise<LiveGraph> {
  const {
    known,
    knownOnly = false,
    messages = true,
    undeclared = false,
    whole = false,
    tokens = false,
    sources = false,
    budget,
    onRead,
  } = options;
  const reading = new Reading(client, budget, onRead);
  const reader = new GraphReader(reading, known, knownOnly);
  const status = await reading.status();
  const mounts = await reader.mounts();
  const methods = options.methods ?? reader.methods(mounts);
  const mounted = methods.filter((path) => mounts.has(path));
  const otherMounts = new Map([...mounts].filter(([path]) => !methods.includes(path)));
  const hasAll = (undeclared || whole) && !knownOnly;
  const [configs, groups, programs, apart, otherMethods, written, parts, credentials] = await Promise.all([
    reader.configs(mounted),
    reader.groups(keepsToNamespace(status)),
    hasAll ? Promise.all(methods.map((path) => reader.programs(path))) : [],
    undeclared && hasAll ? readApart(reading) : [],
    whole ? readOtherMethods(reading, otherMounts) : undefined,
    undeclared || whole ? reader.defaultPolicy() : undefined,
    reader.allParts(listsOfParts(mounted, messages)),
    whole && sources ? readSources(reading) : undefined,
  ]);
  // Entities are the most numerous parts, and each says least, so a budget leaves them out first.
  const entities = hasAll ? await readEntities(reading) : [];
  const guards = whole && hasAll ? await readGuards(reading) : undefined;
  const issued = whole && tokens ? await readTokens(reading) : undefined;
  const { unreadable } = reading;
  return liveGraphOf(
    {
      mounts,
      wanted: methods,
      configs,
      parts,
      groups,
      entities,
      programs,
      apart,
      otherMethods,
      written,
      tokens: issued,
      guards,
      credentials: credentials?.sources,
      hasAllCredentials: credentials?.isAll,
      hasNoNamespaces: client.namespace === '' && credentials?.namespaces?.length === 0,
      unreadable,
      status,
    },
    { known, knownOnly, undeclared, whole },
  );
}

/** The parts of a type, or those of a type in one auth method. */
interface ListOfParts {
  resource: AnyResource;
  method?: string;
}

/** The lists to read: one per type of part, or one per type and auth method. */
function listsOfParts(methods: readonly string[], messages: boolean): ListOfParts[] {
  return resources
    .filter(({ type, isToldOnRead }) => !isToldOnRead && (type !== message.type || messages))
    .flatMap((resource): ListOfParts[] =>
      resource.methodOf === undefined ? [{ resource }] : methods.map((method) => ({ resource, method })),
    );
}

class GraphReader {
  readonly #reading: Reading;
  readonly #known: Graph;
  readonly #knownOnly: boolean;

  constructor(reading: Reading, known: Graph | undefined, knownOnly: boolean) {
    this.#reading = reading;
    this.#knownOnly = knownOnly;
    this.#known = known ?? emptyGraph();
  }

  /** The auth mounts by path. If the token may not list them, those of the known methods. */
  async mounts(): Promise<Map<string, JsonObject>> {
    const all = await this.#reading.data({ type: 'method', name: '*' }, 'sys/auth');
    if (all !== refused) {
      return new Map(
        Object.entries(all ?? {}).flatMap(([path, mount]) =>
          isObject(mount) ? [[path.replace(/\/$/, ''), mount]] : [],
        ),
      );
    }
    return new Map(
      await this.#reading.each(
        this.#known.methods,
        async ({ path }): Promise<[string, JsonObject] | undefined> => {
          const mount = await this.#reading.read({ type: 'method', name: path }, `sys/auth/${path}`, true);
          return mount && [path, mount];
        },
      ),
    );
  }

  /** Paths of the methods to read by default. */
  methods(mounts: Map<string, JsonObject>): string[] {
    if (this.#knownOnly) return this.#known.methods.map(({ path }) => path);
    return [...mounts].filter(([, { type }]) => type === 'oidc' || type === 'jwt').map(([path]) => path);
  }

  async configs(methods: readonly string[]) {
    return Promise.all(methods.map(async (path) => ({ path, config: await this.config(path) })));
  }

  /** The config of a method; undefined if it cannot be read. The mount and its roles exist even so. */
  async config(path: string): Promise<JsonObject | undefined> {
    const config = await this.#reading.data({ type: 'method', name: path }, `auth/${path}/config`);
    return config === refused ? undefined : (config ?? {});
  }

  async allParts(lists: readonly ListOfParts[]) {
    return Promise.all(
      lists.map(async ({ resource, method }) => ({ resource, found: await this.parts(resource, method) })),
    );
  }

  /** The parts of a type that the service has, at the top or in an auth method. */
  async parts(resource: AnyResource, method = '') {
    const { type, wire, key: keyOf } = resource;
    const { fromWire } = wire ?? {};
    if (wire === undefined || fromWire === undefined) return [];
    const of = { type, ...(method !== '' && { method }) };
    const known = namesIn(this.#known, resource, method);
    // A service, or a namespace of it, that has no messages refuses the list.
    const mayHaveNone = type === message.type && known.length === 0;
    const list = await this.#reading.list(of, wire.list(method), mayHaveNone);
    const { nameInList, builtIn = [] } = wire;
    const isKnown = new Set(known.map(keyOf));
    const named = (key: string): [key: string, name: string] => [
      key,
      nameInList === undefined || list === refused ? key : nameOf(list, key, nameInList),
    ];
    const listed = list === refused ? [] : keysOf(list);
    // Without a list, the known names are read: an id is not known.
    const keys =
      nameInList !== undefined
        ? listed
        : list === refused
          ? known
          : listed.filter(
              (name) => isKnown.has(keyOf(name)) || (!this.#knownOnly && !builtIn.includes(name)),
            );
    return this.#reading.each(keys.map(named), async ([key, name]) => {
      const data = await this.#reading.read({ ...of, name }, `${wire.list(method)}/${key}`);
      return data && fromWire(data, name, method);
    });
  }

  /**
   * All groups, or those that are known or have a known alias.
   *
   * @param isAlone whether no group has members of other namespaces: an id that is not there is then gone
   */
  async groups(isAlone: boolean) {
    const list = await this.#reading.list({ type: 'group' }, 'identity/group/id');
    const known = [...this.#known.groups, ...(this.#known.identities ?? [])].map(({ name }) => name);
    const names = new Set(known.map(lowerCase));
    const taken = new Set(this.#known.aliases.map(({ name }) => lowerCase(name)));
    // An unknown group may have a known alias, and one that the list has by its id alone may be any.
    const isKnown = ({ name, alias }: JsonObject) =>
      name === undefined ||
      names.has(lowerCase(name)) ||
      (isObject(alias) && taken.has(lowerCase(alias['name'])));
    const reads: [name: string, path: string][] =
      list === refused
        ? known.map((name) => [name, `identity/group/name/${name}`])
        : keysOf(list)
            .filter((id) => !this.#knownOnly || isKnown(infoOf(list, id)))
            .map((id) => [nameOf(list, id), `identity/group/id/${id}`]);
    const all = await this.#reading.each(reads, ([name, path]) =>
      this.#reading.read({ type: 'group', name }, path),
    );
    const listed = list === refused ? undefined : new Map(keysOf(list).map((id) => [id, nameOf(list, id)]));
    const gone = new Set<string>();
    const seen = new Set([...(listed?.keys() ?? []), ...all.map(({ id }) => String(id))]);
    // Where groups may not be listed, those around a known one and in it are read by their ids, as far as they lead.
    for (let next = all; next.length > 0; ) {
      const ids = next.flatMap((group) => [
        ...textsOf(group['member_group_ids']),
        ...(listed === undefined ? textsOf(group['parent_group_ids']) : []),
      ]);
      const fresh = [...new Set(ids)].filter((id) => !seen.has(id));
      for (const id of fresh) seen.add(id);
      next = await this.#reading.each(fresh, async (id) => {
        const group = await this.#reading.data({ type: 'group', name: id }, `identity/group/id/${id}`);
        if (group === undefined && isAlone) gone.add(id);
        return group === refused ? undefined : group;
      });
      addAll(all, next);
    }
    return { all, listed, gone };
  }

  /** The policy `default`, unless it is declared, or a service that counts how often it was written says that it was not. */
  async defaultPolicy(): Promise<{ name: string; text: string } | undefined> {
    const name = 'default';
    if (this.#known.policies.some((known) => lowerCase(known.name) === name)) return undefined;
    const data = await this.#reading.read({ type: policy.type, name }, `sys/policies/acl/${name}`);
    const text = data?.['policy'];
    return typeof text !== 'string' || data?.['version'] === 1 ? undefined : { name, text };
  }

  /** Services other than OpenBao do not know the path. */
  async programs(method: string) {
    const list = await this.#reading.list({ type: 'role', method }, `auth/${method}/cel/role`, true);
    return { method, names: list === refused ? [] : keysOf(list) };
  }
}

function lowerCase(name: unknown): string {
  return String(name).toLowerCase();
}
