import type { Graph } from '../../../src/graph/graph.ts';
import type { PlanEntry } from '../../worlds.ts';
import { role } from '../graphs.ts';

type Fields = Record<string, unknown>;

/** A write that the service refuses, or that finds nothing: no deployment gets there. */
export class Refused extends Error {}

interface Owner {
  kind: 'group' | 'entity';
  name: string;
  isExternal: boolean;
  policies: Set<string>;
  /** Ids of entities. */
  members: Set<string>;
}

/** What a service has of methods, roles, groups, entities and aliases. Ids and accessors are those of a plan. */
export class ModelService {
  /** Paths by accessor. */
  readonly mounts = new Map<string, string>();
  /** Policies by `path/name`. */
  readonly roles = new Map<string, string[]>();
  readonly owners = new Map<string, Owner>();
  readonly aliases = new Map<string, { name: string; accessor: string; group: string }>();

  copy(): ModelService {
    const copy = new ModelService();
    return Object.assign(copy, structuredClone({ ...this }));
  }

  /** All that is there, by names: equal texts for equal services. */
  summary(): string[] {
    const nameOf = (id: string) => this.owners.get(id)?.name ?? id;
    return [
      ...[...this.mounts.values()].map((path) => `method ${path}`),
      ...[...this.roles].map(([path, policies]) => `role ${path}: ${policies.toSorted()}`),
      ...[...this.owners.values()].map(({ kind, name, policies, members }) => {
        return `${kind} ${name}: ${[...policies].sort()} with ${[...members].map(nameOf).sort()}`;
      }),
      ...[...this.aliases.values()].map(({ name, accessor, group }) => {
        return `alias ${this.mounts.get(accessor)}/${name} of ${nameOf(group)}`;
      }),
    ].sort();
  }

  /** The same as a graph that has all of it. */
  graph(): Graph {
    const owners = [...this.owners.values()];
    const named = (id: string) => ({ kind: 'entity' as const, name: this.owners.get(id)?.name ?? id });
    return {
      methods: [...this.mounts.values()].map((path) => ({ path, type: 'jwt', config: {} })),
      roles: [...this.roles].map(([path, policies]) => {
        const [method = '', name = ''] = path.split('/');
        return role(name, { method, policies });
      }),
      groups: owners.flatMap(({ isExternal, name, policies }) =>
        isExternal ? [{ name, policies: [...policies] }] : [],
      ),
      aliases: [...this.aliases.values()].map(({ name, accessor, group }) => {
        return { name, method: this.mounts.get(accessor) ?? '', group: named(group).name };
      }),
      policies: [],
      messages: [],
      identities: owners.flatMap(({ isExternal, kind, name, policies, members }) => {
        const all = { kind, name, policies: [...policies] };
        return isExternal ? [] : [kind === 'group' ? { ...all, members: [...members].map(named) } : all];
      }),
      others: [],
    };
  }

  owner(id: unknown): Owner {
    const owner = this.owners.get(String(id));
    if (owner === undefined) throw new Refused('no such owner');
    return owner;
  }
}

/** The summary of a graph, in which several entries of one group or entity add up. */
export function summaryOf({ methods, roles, groups, aliases, identities = [] }: Graph): string[] {
  const external = groups.map((group) => ({ kind: 'group', members: [], ...group }));
  const owners = Map.groupBy([...external, ...identities], ({ kind, name }) => `${kind} ${name}`);
  return [
    ...methods.map(({ path }) => `method ${path}`),
    ...roles.map(({ method, name, policies = [] }) => `role ${method}/${name}: ${policies.toSorted()}`),
    ...[...owners].map(([name, entries]) => {
      const policies = new Set(entries.flatMap((entry) => entry.policies));
      const members = new Set(entries.flatMap((entry) => (entry.members ?? []).map((member) => member.name)));
      return `${name}: ${[...policies].sort()} with ${[...members].sort()}`;
    }),
    ...aliases.map(({ name, method, group }) => `alias ${method}/${name} of ${group}`),
  ].sort();
}

/** How the official provider makes, changes and ends one type of resource. */
interface ProviderType {
  create(service: ModelService, fields: Fields): void;
  update(service: ModelService, before: Fields, after: Fields): void;
  delete(service: ModelService, fields: Fields): void;
}

const mount: ProviderType = {
  create({ mounts }, { accessor, path }) {
    if ([...mounts.values()].includes(String(path))) throw new Refused('the path is taken');
    mounts.set(String(accessor), String(path));
  },
  update({ mounts, roles }, { accessor }, { path }) {
    const from = mounts.get(String(accessor));
    if (from === undefined) throw new Refused('no such mount');
    if (from === path) return;
    if ([...mounts.values()].includes(String(path))) throw new Refused('the path is taken');
    mounts.set(String(accessor), String(path));
    for (const [at, policies] of [...roles])
      if (at.startsWith(`${from}/`)) {
        roles.delete(at);
        roles.set(`${path}${at.slice(from.length)}`, policies);
      }
  },
  delete({ mounts, roles, aliases }, { accessor }) {
    const path = mounts.get(String(accessor));
    mounts.delete(String(accessor));
    for (const at of [...roles.keys()]) if (at.startsWith(`${path}/`)) roles.delete(at);
    for (const [key, alias] of [...aliases]) if (alias.accessor === accessor) aliases.delete(key);
  },
};

const roleType: ProviderType = {
  create({ mounts, roles }, { backend, role_name, token_policies }) {
    if (![...mounts.values()].includes(String(backend))) throw new Refused('no such mount');
    roles.set(`${backend}/${role_name}`, textsIn(token_policies));
  },
  update: (service, _, after) => roleType.create(service, after),
  delete: ({ roles }, { backend, role_name }) => void roles.delete(`${backend}/${role_name}`),
};

function ownerType(kind: Owner['kind']): ProviderType {
  return {
    create(service, fields) {
      const { owners } = service;
      const isExternal = fields['type'] === 'external';
      const [known] = [...owners].filter(([, owner]) => owner.kind === kind && owner.name === fields['name']);
      if (known === undefined && owners.has(String(fields['id']))) throw new Refused('the id is taken');
      if (known !== undefined && known[1].isExternal !== isExternal)
        throw new Refused('another type of group');
      const [id, owner] = known ?? [String(fields['id']), ownerOf(kind, isExternal)];
      owners.set(id, owner);
      writeOwner(service, owner, fields);
    },
    update(service, { id }, after) {
      const owner = service.owner(id);
      const rivals = [...service.owners.values()].filter((other) => other !== owner && other.kind === kind);
      if (rivals.some(({ name }) => name === after['name'])) throw new Refused('the name is taken');
      writeOwner(service, owner, after);
    },
    delete({ owners, aliases }, { id }) {
      owners.delete(String(id));
      for (const { members } of owners.values()) members.delete(String(id));
      for (const [key, alias] of [...aliases]) if (alias.group === id) aliases.delete(key);
    },
  };
}

function ownerOf(kind: Owner['kind'], isExternal: boolean): Owner {
  return { kind, name: '', isExternal, policies: new Set(), members: new Set() };
}

/** A group or an entity writes its whole lists, unless it leaves them to others. */
function writeOwner(service: ModelService, owner: Owner, fields: Fields): void {
  const members = textsIn(fields['member_entity_ids']);
  for (const id of members) service.owner(id);
  owner.name = String(fields['name']);
  if (fields['external_policies'] !== true) owner.policies = new Set(textsIn(fields['policies']));
  if (!owner.isExternal && fields['external_member_entity_ids'] !== true) owner.members = new Set(members);
}

const alias: ProviderType = {
  create: (service, fields) => writeAlias(service, fields),
  update(service, before, after) {
    const key = aliasKey(before);
    if (!service.aliases.has(key)) throw new Refused('no such alias');
    if (key !== aliasKey(after) && service.aliases.has(aliasKey(after))) throw new Refused('it is taken');
    service.aliases.delete(key);
    writeAlias(service, after);
  },
  delete: ({ aliases }, fields) => void aliases.delete(aliasKey(fields)),
};

/** A group has one alias: the last one written. */
function writeAlias(service: ModelService, fields: Fields): void {
  const { name, mount_accessor: accessor, canonical_id: group } = fields;
  service.owner(group);
  if (!service.mounts.has(String(accessor))) throw new Refused('no such mount');
  for (const [key, other] of [...service.aliases]) if (other.group === group) service.aliases.delete(key);
  const written = { name: String(name), accessor: String(accessor), group: String(group) };
  service.aliases.set(aliasKey(fields), written);
}

function aliasKey({ mount_accessor: accessor, name }: Fields): string {
  return `${accessor} ${name}`;
}

/** What is attached to a group writes its own entries to the one list, or all of it where it is the only one. */
function attachedType(list: 'policies' | 'members', field: string): ProviderType {
  const isOnly = ({ exclusive }: Fields) => exclusive !== false;
  const write = (service: ModelService, before: Fields, after: Fields) => {
    const owner = service.owner(after['group_id']);
    if (list === 'members' && owner.isExternal) throw new Refused('sign-ins decide who is in it');
    if (list === 'members') for (const id of textsIn(after[field])) service.owner(id);
    if (isOnly(after)) owner[list] = new Set();
    for (const entry of textsIn(before[field])) owner[list].delete(entry);
    for (const entry of textsIn(after[field])) owner[list].add(entry);
  };
  return {
    create: (service, fields) => write(service, {}, fields),
    update: write,
    delete(service, fields) {
      const owner = service.owners.get(String(fields['group_id']));
      if (owner === undefined) return;
      if (isOnly(fields)) owner[list] = new Set();
      for (const entry of textsIn(fields[field])) owner[list].delete(entry);
    },
  };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

const providerTypes: Record<string, ProviderType> = {
  vault_jwt_auth_backend: mount,
  vault_jwt_auth_backend_role: roleType,
  vault_identity_group: ownerType('group'),
  vault_identity_entity: ownerType('entity'),
  vault_identity_group_alias: alias,
  vault_identity_group_policies: attachedType('policies', 'policies'),
  vault_identity_group_member_entity_ids: attachedType('members', 'member_entity_ids'),
};

/** One operation of the provider, for a resource of a plan. */
export interface ProviderOperation {
  entry: PlanEntry;
  does: 'create' | 'update' | 'delete';
}

/** @throws Refused */
export function applyOperation(service: ModelService, { entry, does }: ProviderOperation): void {
  const type = providerTypes[entry.type];
  if (type === undefined) throw new Error(`there is no model of ${entry.type}`);
  const { before, after } = entry.change;
  if (does === 'update') type.update(service, before ?? {}, after ?? {});
  else type[does](service, (does === 'delete' ? before : after) ?? {});
}

/** Every order in which a deployment may do what a plan says: in the order of its references, else in any. */
export function* ordersOf(
  operations: readonly ProviderOperation[],
  deletesLast: boolean,
): Generator<ProviderOperation[]> {
  if (operations.length === 0) yield [];
  for (const [at, operation] of operations.entries()) {
    const rest = operations.filter((other) => other !== operation);
    const waits = rest.some((other) => isFirst(other, operation, deletesLast));
    // A replacement is in the order of its actions.
    const isLater = operations.slice(0, at).some(({ entry }) => entry === operation.entry);
    if (waits || isLater) continue;
    for (const following of ordersOf(rest, deletesLast)) yield [operation, ...following];
  }
}

/** What others refer to is made before them, and deleted after them. */
function isFirst(first: ProviderOperation, second: ProviderOperation, deletesLast: boolean): boolean {
  if (first.entry === second.entry) return false;
  if (deletesLast && first.does !== 'delete' && second.does === 'delete') return true;
  if ((first.does === 'delete') !== (second.does === 'delete')) return false;
  const isEnd = first.does === 'delete';
  const [target, from] = isEnd ? [second, first] : [first, second];
  const side = isEnd ? 'before' : 'after';
  const id = idOf(target.entry, side);
  return id !== undefined && referencesOf(from.entry, side).includes(id);
}

/** The id or the accessor that others refer to. */
export function idOf({ change }: PlanEntry, side: 'before' | 'after'): unknown {
  const { accessor, id } = change[side] ?? {};
  return accessor ?? id;
}

/** The ids and accessors that one side of a resource refers to. */
export function referencesOf({ change }: PlanEntry, side: 'before' | 'after'): unknown[] {
  const fields = change[side] ?? {};
  const { mount_accessor, canonical_id, group_id, backend } = fields;
  const ofRole = backend === undefined ? [] : [`acc-${backend}`];
  return [mount_accessor, canonical_id, group_id, ...ofRole, ...textsIn(fields['member_entity_ids'])];
}
