import { type Complete, emptyGraph, type Graph, type Holder } from '../core/model/graph.ts';
import type { Difference } from '../core/model/graph-difference.ts';
import { defaultPolicyChange } from '../core/model/policies/default-policy.ts';
import { type AuthMethod, methodFromWire } from '../core/model/resources/auth-method.ts';
import { message } from '../core/model/resources/custom-message.ts';
import { entity } from '../core/model/resources/entity.ts';
import type { GroupAlias } from '../core/model/resources/group-alias.ts';
import type { Resource } from '../core/model/resources/resource.ts';
import {
  type AnyResource,
  addPart,
  type Lists,
  namesIn,
  type Part,
  type ResourceType,
  resources,
} from '../core/model/resources/resources.ts';
import { type Subject, subjectOf } from '../core/model/subject.ts';
import { GatehouseError } from '../core/model/values/errors.ts';
import { nameKey } from '../core/model/values/name-key.ts';
import {
  holderOf,
  internalGroups,
  isExternal,
  lowerCase,
  policiesNote,
  type ReadGroup,
  readGroup,
  relativesOf,
  textsOf,
  unmanaged,
} from './live-groups.ts';
import { isJsonObject, type JsonObject, type ServiceClient } from './service-client.ts';

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
  beside?: boolean;
}

/** A part that could not be read, so it is not known whether it exists. */
export interface Unreadable {
  subject: Subject;
  /** The service's reason. */
  why: string;
}

/** The login set-up of a service. */
export interface LiveGraph {
  graph: Graph;
  unreadable: Unreadable[];
  /** Accessors of the methods, by path. */
  accessors: Record<string, string>;
  /** Aliases whose method is gone; they have no effect. */
  orphans: (Omit<GroupAlias, 'method'> & { accessor: string })[];
  /** What no stack declares, and how it is: `changed` for a part of what may be declared. Empty unless asked for. */
  beside: Difference[];
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
  const reader = new Reader(client, options);
  const mounts = await reader.mounts();
  const wanted = options.methods ?? reader.methods(mounts);
  const mounted = wanted.flatMap((path): [string, JsonObject][] => {
    const mount = mounts.get(path);
    return mount === undefined ? [] : [[path, mount]];
  });
  const listed = resources
    .filter(
      ({ type, isToldOnRead }) => !isToldOnRead && (type !== message.type || options.messages !== false),
    )
    .flatMap((one): [AnyResource, string?][] =>
      one.methodOf === undefined ? [[one]] : mounted.map(([path]) => [one, path]),
    );
  const [methods, { groups, holders }, beside, parts] = await Promise.all([
    Promise.all(mounted.map(([path, mount]) => reader.method(path, mount))),
    reader.groups(mounts),
    options.beside ? reader.beside(mounts, wanted) : undefined,
    Promise.all(listed.map((one) => reader.parts(...one))),
  ]);
  const graph = emptyGraph();
  listed.forEach(([resource], index) => {
    for (const part of parts[index] ?? []) addPart(graph, resource, part);
  });
  const accessors = Object.fromEntries(
    wanted.flatMap((path) => {
      const accessor = mounts.get(path)?.['accessor'];
      return typeof accessor === 'string' ? [[path, accessor]] : [];
    }),
  );
  return {
    graph: {
      ...graph,
      methods: methods.flatMap((method) => method ?? []),
      groups: groups.map(({ group }) => group),
      aliases: groups.flatMap(({ alias }) => alias ?? []),
      ...(holders.length + reader.entities.length === 0 ? {} : { holders: [...holders, ...reader.entities] }),
      complete: options.knownOnly
        ? []
        : completeOf(
            mounted.map(([path]) => path),
            reader.unreadable,
            beside,
          ),
    },
    unreadable: reader.unreadable,
    accessors,
    orphans: groups.flatMap(({ orphan }) => orphan ?? []),
    beside: beside
      ? [
          ...beside,
          ...groups.filter(isAbout(options.known)).flatMap(relativesOf),
          ...internalGroups(holders, groups, options.known),
        ]
      : [],
    otherRoles: reader.otherRoles,
    plainEntities: reader.plainEntities,
  };
}

/** What was listed, and read one by one. Roles that are programs are looked for with `beside`. */
function completeOf(methods: string[], unreadable: Unreadable[], programs?: Difference[]): Complete[] {
  const isIn = (parts: { subject: Subject }[], type: ResourceType, method?: string) =>
    parts.some(({ subject }) => subject.type === type && subject.method === method);
  const complete: (Complete | false)[] = [
    !isIn(unreadable, 'group') && { list: 'groups' },
    !isIn(unreadable, 'group') && { list: 'aliases' },
    !isIn(unreadable, 'policy') && { list: 'policies' },
    ...methods.map(
      (method) =>
        programs !== undefined &&
        !isIn([...unreadable, ...programs], 'role', method) && { list: 'roles' as const, method },
    ),
  ];
  return complete.filter((one) => one !== false);
}

/** Groups that are not declared are told of by themselves. */
function isAbout(known: Graph | undefined) {
  const names = new Set(known?.groups.map(({ name }) => nameKey(name)));
  return ({ group }: ReadGroup) => known === undefined || names.has(nameKey(group.name));
}

class Reader {
  readonly #client: ServiceClient;
  readonly #known: Graph;
  readonly #knownOnly: boolean;
  readonly unreadable: Unreadable[] = [];
  otherRoles = 0;
  plainEntities = 0;
  /** Entities with policies of their own; with what no stack declares, and else none. */
  readonly entities: Holder[] = [];

  constructor(client: ServiceClient, { known, knownOnly = false }: LiveGraphOptions) {
    this.#client = client;
    this.#knownOnly = knownOnly;
    this.#known = known ?? emptyGraph();
  }

  /** The auth mounts by path. If the token may not list them, those of the known methods. */
  async mounts(): Promise<Map<string, JsonObject>> {
    const all = await this.#try({ type: 'method', name: '*' }, () => this.#client.read('sys/auth'));
    if (all !== refused) {
      return new Map(
        Object.entries(all?.data ?? {}).flatMap(([path, mount]) =>
          isJsonObject(mount) ? [[path.replace(/\/$/, ''), mount]] : [],
        ),
      );
    }
    return new Map(
      await this.#each(this.#known.methods, async ({ path }): Promise<[string, JsonObject] | undefined> => {
        const mount = await this.#read({ type: 'method', name: path }, `sys/auth/${path}`);
        return mount && [path, mount];
      }),
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
    const config = await this.#try(subject, () => this.#client.read(`auth/${path}/config`));
    return config === refused ? undefined : methodFromWire(path, mount, config?.data ?? {});
  }

  /** What the service lists and answers of a resource, at the top or of an auth method. */
  async parts<One extends Part>(
    resource: Resource<One, ResourceType, keyof Lists>,
    method = '',
  ): Promise<One[]> {
    const { type, wire, key: keyOf } = resource;
    const { fromWire } = wire ?? {};
    if (wire === undefined || fromWire === undefined) return [];
    const subject = (name: string): Subject => ({ type, name, ...(method !== '' && { method }) });
    const list = await this.#try(subject('*'), () => this.#client.list(wire.list(method)));
    const known = namesIn(this.#known, resource, method);
    const { nameInList, builtIn = [] } = wire;
    const isKnown = new Set(known.map(keyOf));
    const named = (key: string): [key: string, name: string] => [
      key,
      nameInList === undefined || list === refused ? key : nameOf(list?.data, key, nameInList),
    ];
    const listed = list === refused ? [] : keysOf(list?.data);
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
    return this.#each(keys.map(named), async ([key, name]) => {
      const data = await this.#read(subject(name), wire.read(key, method));
      return data && fromWire(data, name, method);
    });
  }

  /** External groups with their aliases, and groups with what is in them. */
  async groups(mounts: Map<string, JsonObject>): Promise<{ groups: ReadGroup[]; holders: Holder[] }> {
    const paths = new Map([...mounts].map(([path, { accessor }]) => [accessor, path]));
    const list = await this.#try({ type: 'group', name: '*' }, () => this.#client.list('identity/group/id'));
    const known = [...this.#known.groups, ...(this.#known.holders ?? [])].map(({ name }) => name);
    const names = new Set(known.map(lowerCase));
    const taken = new Set(this.#known.aliases.map(({ name }) => lowerCase(name)));
    // An unknown group may have a known alias.
    const isKnown = ({ name, alias }: JsonObject) =>
      names.has(lowerCase(name)) || (isJsonObject(alias) && taken.has(lowerCase(alias['name'])));
    const reads: [name: string, path: string][] =
      list === refused
        ? known.map((name) => [name, `identity/group/name/${name}`])
        : keysOf(list?.data)
            .filter((id) => !this.#knownOnly || isKnown(infoOf(list?.data, id)))
            .map((id) => [nameOf(list?.data, id), `identity/group/id/${id}`]);
    const all = await this.#each(reads, ([name, path]) => this.#read({ type: 'group', name }, path));
    // Without a list, what has been read tells the names.
    const read = new Map(all.map(({ id, name }) => [id, String(name)]));
    const groupName = (id: string) => read.get(id) ?? nameOf(list === refused ? undefined : list?.data, id);
    const declared = new Map((this.#known.holders ?? []).map((holder) => [lowerCase(holder.name), holder]));
    const holders = all.flatMap((data) => holderOf(data, groupName) ?? []);
    const isDeclaredIn = (outer: string, inner: string) =>
      declared.get(lowerCase(outer))?.members?.some(({ name }) => lowerCase(name) === lowerCase(inner)) ===
      true;
    return {
      groups: all.filter(isExternal).map((data) => {
        const group = readGroup(data, paths);
        const { name } = group.group;
        return { ...group, parents: group.parents.filter((id) => !isDeclaredIn(groupName(id), name)) };
      }),
      holders: holders.filter(({ name }) => !this.#knownOnly || declared.has(lowerCase(name))),
    };
  }

  /** What no stack declares, but for groups. */
  async beside(mounts: Map<string, JsonObject>, wanted: string[]): Promise<Difference[]> {
    const all = await Promise.all([
      this.#defaultPolicy(),
      ...(this.#knownOnly ? [] : [this.#entities(), ...wanted.map((path) => this.#programRoles(path))]),
    ]);
    const others = this.#knownOnly
      ? []
      : [...mounts].filter(
          ([path, { type }]) => !wanted.includes(path) && path !== 'token' && type !== 'token',
        );
    return [
      ...all.flat(),
      ...others.map(([path, { type }]) => unmanaged({ type: 'method', name: path }, `of type ${type}`)),
    ];
  }

  /** A service that counts how often it was written says by itself that it was not. */
  async #defaultPolicy(): Promise<Difference[]> {
    if (this.#known.policies.some(({ name }) => lowerCase(name) === 'default')) return [];
    const subject: Subject = { type: 'policy', name: 'default' };
    const policy = await this.#read(subject, 'sys/policies/acl/default');
    const live = policy?.['policy'];
    if (typeof live !== 'string' || policy?.['version'] === 1) return [];
    const change = defaultPolicyChange(live);
    if (change === undefined) return [];
    return [{ kind: 'changed', subject, field: 'text', live, note: change, isLeft: true }];
  }

  async #entities(): Promise<Difference[]> {
    const entities = await this.parts(entity);
    const given = entities.filter(({ policies }) => policies.length > 0);
    this.plainEntities = entities.length - given.length;
    this.entities.push(...given);
    return given.map((one) => unmanaged(subjectOf(entity, one), policiesNote(one.policies)));
  }

  /** Roles of OpenBao that are programs (CEL): other ways to sign in to the method. */
  async #programRoles(method: string): Promise<Difference[]> {
    const path = `auth/${method}/cel/role`;
    const list = await this.#try({ type: 'role', name: '*', method }, () =>
      this.#client.list(path).catch((error: unknown) => {
        // Other services do not know the path.
        if (error instanceof GatehouseError && error.code === 'service_refused') return undefined;
        throw error;
      }),
    );
    return keysOf(list === refused ? undefined : list?.data).map((name) =>
      unmanaged({ type: 'role', name, method }, 'a program (CEL)'),
    );
  }

  /** The client's connections limit the concurrency. */
  async #each<From, To>(from: From[], read: (one: From) => Promise<To | undefined>): Promise<To[]> {
    const all = await Promise.all(from.map(read));
    return all.filter((one) => one !== undefined);
  }

  /** The data at a path; undefined if there is none or it cannot be read. */
  async #read(subject: Subject, path: string): Promise<JsonObject | undefined> {
    const answer = await this.#try(subject, () => this.#client.read(path));
    return answer === refused ? undefined : answer?.data;
  }

  async #try<Answer>(subject: Subject, read: () => Promise<Answer>): Promise<Answer | typeof refused> {
    try {
      return await read();
    } catch (error) {
      const isPart = error instanceof GatehouseError && partial.includes(error.code);
      if (!isPart) throw error;
      this.unreadable.push({ subject, why: error.parts.what });
      return refused;
    }
  }
}

/** Errors about one part; others are about the service. */
const partial = ['permission_denied', 'service_refused', 'path_invalid'];
const refused = Symbol('refused');

function keysOf(data: JsonObject | undefined): string[] {
  return textsOf(data?.['keys']);
}

function infoOf(data: JsonObject | undefined, id: string): JsonObject {
  const all = data?.['key_info'];
  const info = isJsonObject(all) ? all[id] : undefined;
  return isJsonObject(info) ? info : {};
}

function nameOf(data: JsonObject | undefined, id: string, field = 'name'): string {
  const name = infoOf(data, id)[field];
  return typeof name === 'string' ? name : id;
}
