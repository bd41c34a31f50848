import {
  type AnyResource,
  type AuthMethod,
  addPart,
  aliasElsewhere,
  type Complete,
  type Difference,
  emptyGraph,
  entity,
  type Graph,
  type GraphIds,
  type GroupAlias,
  type Identity,
  type Lists,
  message,
  methodFromWire,
  namesIn,
  type Part,
  policy,
  programRole,
  type Resource,
  type ResourceType,
  resources,
  type Subject,
  subjectOf,
} from '@gatehouse/core/graph';
import { isObject } from '@gatehouse/core/values';
import {
  identityOf,
  internalGroups,
  isAbout,
  isExternal,
  lowerCase,
  policiesNote,
  type ReadGroup,
  readGroup,
  relativesOf,
  strangersIn,
  unmanaged,
} from './live-groups.ts';
import {
  ofEntities,
  readApart,
  readEntities,
  readOtherMethods,
  readTokens,
  rewrittenDefault,
  typeOf,
  withMerged,
} from './live-others.ts';
import { infoOf, keysOf, nameOf, type OnRead, Reading, refused, type Unreadable } from './reading.ts';
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
  /** The most requests that it makes. What then is left is unreadable. Defaults to no limit. */
  budget?: number;
  onRead?: OnRead;
}

/** The login set-up of a service. */
export interface LiveGraph {
  graph: Graph;
  unreadable: Unreadable[];
  /** What others refer to by the service's own ids. */
  ids: GraphIds;
  /** Aliases whose method is gone; they have no effect. */
  orphans: (Omit<GroupAlias, 'method'> & { accessor: string })[];
  /** What no stack declares, and how it is: `changed` for a part of what may be declared. Empty unless asked for. */
  undeclared: Difference[];
  /** Roles of the known methods that are not known. With `knownOnly`, for what may be listed. */
  otherRoles: number;
  /** Entities without policies; their people have what roles and groups give. */
  plainEntities: number;
}

/**
 * Reads the login set-up of a service: first the lists, then each part. Parts that cannot be read are `unreadable`, not
 * absent.
 *
 * @throws GatehouseError those of the client, except for parts: `permission_denied`, `service_refused`, `path_invalid`
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
    budget,
    onRead,
  } = options;
  const reading = new Reading(client, budget, onRead);
  const reader = new Reader(reading, known, knownOnly);
  const mounts = await reader.mounts();
  const wanted = options.methods ?? reader.methods(mounts);
  const mounted = wanted.flatMap((path): [string, JsonObject][] => {
    const mount = mounts.get(path);
    return mount === undefined ? [] : [[path, mount]];
  });
  const paths = new Map([...mounts].map(([path, { accessor }]) => [accessor, path]));
  const otherMounts = new Map([...mounts].filter(([path]) => !wanted.includes(path)));
  const listed = resources
    .filter(({ type, isToldOnRead }) => !isToldOnRead && (type !== message.type || messages))
    .flatMap((one): [AnyResource, string?][] =>
      one.methodOf === undefined ? [[one]] : mounted.map(([path]) => [one, path]),
    );
  const hasAll = (undeclared || whole) && !knownOnly;
  const [methods, found, programs, apart, ofOthers, written, parts] = await Promise.all([
    Promise.all(mounted.map(([path, mount]) => reader.method(path, mount))),
    reader.groups(paths),
    hasAll ? Promise.all(wanted.map((path) => reader.programs(path))) : [],
    undeclared && hasAll ? readApart(reading) : [],
    whole ? readOtherMethods(reading, otherMounts) : undefined,
    undeclared || whole ? reader.defaultPolicy() : undefined,
    Promise.all(listed.map((one) => reader.parts(...one))),
  ]);
  // The most of them, and the least that each tells: what a budget leaves out.
  const entities = hasAll ? await readEntities(reading) : [];
  const issued = whole && tokens ? await readTokens(reading, entities, paths) : undefined;
  const { groups, internal } = found;
  const graph = emptyGraph();
  listed.forEach(([resource], index) => {
    for (const part of parts[index] ?? []) addPart(graph, resource, part);
  });
  graph.methods = methods.flatMap((method) => method ?? []);
  graph.groups = groups.map(({ group }) => group);
  graph.aliases = groups.flatMap(({ alias }) => alias ?? []);
  const inner = internal(entities);
  const given = entities.filter(({ policies }) => policies.length > 0);
  if (whole) {
    if (hasAll) reading.unreadable.push(...strangersIn(inner, entities, found.ids, reading.unreadable));
    const members = new Set(
      inner.flatMap((one) =>
        (one.members ?? []).flatMap(({ kind, name }) => (kind === 'entity' ? name : [])),
      ),
    );
    const bearing = ofEntities(entities, (name) => members.has(name), paths);
    graph.identities = [...inner, ...bearing.identities];
    const elsewhere = (method: string) => !wanted.includes(method);
    graph.otherAccess = [
      ...(ofOthers?.otherAccess ?? []),
      ...bearing.otherAccess,
      ...(issued?.otherAccess ?? []),
      ...programs.flatMap(({ method, names }) => names.map((name) => programRole(method, name))),
      ...graph.aliases
        .filter(({ method }) => elsewhere(method))
        .map(({ name, method, group }) =>
          aliasElsewhere(name, method, typeOf(mounts.get(method) ?? { type: 'unknown' }), group),
        ),
    ];
    graph.aliases = graph.aliases.filter(({ method }) => !elsewhere(method));
    if (written !== undefined) graph.policies.push(written);
  } else if (inner.length + given.length > 0) {
    graph.identities = [...inner, ...given.map(({ kind, name, policies }) => ({ kind, name, policies }))];
  }
  const { unreadable } = reading;
  const names = (list: readonly { id: string; name: string }[]) =>
    Object.fromEntries(list.map(({ id, name }) => [id, name]));
  return {
    graph: {
      ...graph,
      complete: knownOnly
        ? []
        : completeOf(
            mounted.map(([path]) => path),
            [...mounts.keys()],
            unreadable,
            hasAll ? { programs, ofOthers: ofOthers?.complete } : undefined,
          ).concat(issued?.complete ?? []),
    },
    unreadable,
    ids: {
      mount: Object.fromEntries(paths),
      group: names(found.ids),
      entity: names(entities.flatMap(withMerged)),
    },
    orphans: groups.flatMap(({ orphan }) => orphan ?? []),
    undeclared: undeclared
      ? [
          ...(written === undefined ? [] : rewrittenDefault(written.text)),
          ...given.map((one) => unmanaged(subjectOf(entity, one), policiesNote(one.policies))),
          ...programs.flatMap(({ method, names: all }) =>
            all.map((name) => unmanaged({ type: 'role', name, method }, 'a program (CEL)')),
          ),
          ...(knownOnly
            ? []
            : [...otherMounts]
                .filter(([path, { type }]) => path !== 'token' && type !== 'token')
                .map(([path, { type }]) => unmanaged({ type: 'method', name: path }, `of type ${type}`))),
          ...apart,
          ...groups.filter(isAbout(known)).flatMap(relativesOf),
          ...internalGroups(inner, groups, known),
        ]
      : [],
    otherRoles: reader.otherRoles,
    plainEntities: entities.length - given.length,
  };
}

/** What was listed, and read one by one: all of it, where other methods were read, too. */
function completeOf(
  methods: string[],
  mounts: string[],
  unreadable: Unreadable[],
  all: { programs: Programs[]; ofOthers: Complete[] | undefined } | undefined,
): Complete[] {
  const isRead = (type: Subject['type'], method?: string) =>
    !unreadable.some(({ subject }) => subject.type === type && subject.method === method);
  const { programs = [], ofOthers } = all ?? {};
  const hasPrograms = (method: string) =>
    programs.some((one) => one.method === method && one.names.length > 0);
  const hasGroups = isRead('group');
  const hasRoles = methods.filter(
    (method) =>
      all !== undefined && isRead('role', method) && (ofOthers !== undefined || !hasPrograms(method)),
  );
  const otherMounts = mounts.filter((path) => !methods.includes(path));
  const hasMounts =
    ofOthers !== undefined && otherMounts.every((path) => ofOthers.some(({ method }) => method === path));
  const complete: (Complete | false)[] = [
    ofOthers !== undefined && isRead('method') && { list: 'methods' },
    hasGroups && { list: 'groups' },
    hasGroups && { list: 'aliases' },
    isRead('policy') && { list: 'policies' },
    ofOthers !== undefined && hasGroups && isRead('entity') && { list: 'identities' },
    hasMounts && isRead('entity') && programs.every(({ names }) => !names.length) && { list: 'otherAccess' },
    ...(ofOthers ?? []),
    ...hasRoles.map((method) => ({ list: 'roles' as const, method })),
  ];
  return complete.filter((one) => one !== false);
}

/** Roles of a method that are programs (CEL of OpenBao). */
interface Programs {
  method: string;
  names: string[];
}

class Reader {
  readonly #reading: Reading;
  readonly #known: Graph;
  readonly #knownOnly: boolean;
  otherRoles = 0;

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

  /** Undefined where it cannot be read; the mount and its roles exist even so. */
  async method(path: string, mount: JsonObject): Promise<AuthMethod | undefined> {
    const subject: Subject = { type: 'method', name: path };
    const config = await this.#reading.data(subject, `auth/${path}/config`);
    return config === refused ? undefined : methodFromWire(path, mount, config ?? {});
  }

  /** What the service lists and answers of a resource, at the top or of an auth method. */
  async parts<One extends Part>(
    resource: Resource<One, ResourceType, keyof Lists>,
    method = '',
  ): Promise<One[]> {
    const { type, wire, key: keyOf } = resource;
    const { fromWire } = wire ?? {};
    if (wire === undefined || fromWire === undefined) return [];
    const of = { type, ...(method !== '' && { method }) };
    const list = await this.#reading.list(of, wire.list(method));
    const known = namesIn(this.#known, resource, method);
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
    if (this.#knownOnly && method !== '' && list !== refused) this.otherRoles += listed.length - keys.length;
    return this.#reading.each(keys.map(named), async ([key, name]) => {
      const data = await this.#reading.read({ ...of, name }, `${wire.list(method)}/${key}`);
      return data && fromWire(data, name, method);
    });
  }

  /**
   * External groups with their aliases, and all groups by their ids. `internal` answers groups with what is in them, once
   * the names of entities are known.
   */
  async groups(paths: Map<unknown, string>): Promise<{
    groups: ReadGroup[];
    ids: { id: string; name: string }[];
    internal(entities: readonly { id: string; name: string }[]): Identity[];
  }> {
    const list = await this.#reading.list({ type: 'group' }, 'identity/group/id');
    const known = [...this.#known.groups, ...(this.#known.identities ?? [])].map(({ name }) => name);
    const names = new Set(known.map(lowerCase));
    const taken = new Set(this.#known.aliases.map(({ name }) => lowerCase(name)));
    // An unknown group may have a known alias.
    const isKnown = ({ name, alias }: JsonObject) =>
      names.has(lowerCase(name)) || (isObject(alias) && taken.has(lowerCase(alias['name'])));
    const reads: [name: string, path: string][] =
      list === refused
        ? known.map((name) => [name, `identity/group/name/${name}`])
        : keysOf(list)
            .filter((id) => !this.#knownOnly || isKnown(infoOf(list, id)))
            .map((id) => [nameOf(list, id), `identity/group/id/${id}`]);
    const all = await this.#reading.each(reads, ([name, path]) =>
      this.#reading.read({ type: 'group', name }, path),
    );
    // Without a list, what has been read tells the names.
    const read = new Map(all.map(({ id, name }) => [String(id), String(name)]));
    const groupName = (id: string) => read.get(id) ?? (list === refused ? id : nameOf(list, id));
    const declared = new Map((this.#known.identities ?? []).map((one) => [lowerCase(one.name), one]));
    const isDeclaredIn = (outer: string, inner: string) =>
      declared.get(lowerCase(outer))?.members?.some(({ name }) => lowerCase(name) === lowerCase(inner)) ===
      true;
    return {
      groups: all.filter(isExternal).map((data) => {
        const group = readGroup(data, paths);
        const { name } = group.group;
        return { ...group, parents: group.parents.filter((id) => !isDeclaredIn(groupName(id), name)) };
      }),
      ids: [...read].map(([id, name]) => ({ id, name })),
      internal: (entities) => {
        const entityNames = new Map(entities.map(({ id, name }) => [id, name]));
        return all
          .flatMap((data) => identityOf(data, groupName, (id) => entityNames.get(id) ?? id) ?? [])
          .filter(({ name }) => !this.#knownOnly || declared.has(lowerCase(name)));
      },
    };
  }

  /** The policy `default`, unless it is declared, or a service that counts how often it was written says that it was not. */
  async defaultPolicy(): Promise<{ name: string; text: string } | undefined> {
    const name = 'default';
    if (this.#known.policies.some((one) => lowerCase(one.name) === name)) return undefined;
    const found = await this.#reading.read({ type: policy.type, name }, `sys/policies/acl/${name}`);
    const text = found?.['policy'];
    return typeof text !== 'string' || found?.['version'] === 1 ? undefined : { name, text };
  }

  /** Services other than OpenBao do not know the path. */
  async programs(method: string): Promise<Programs> {
    const list = await this.#reading.list({ type: 'role', method }, `auth/${method}/cel/role`, true);
    return { method, names: list === refused ? [] : keysOf(list) };
  }
}
