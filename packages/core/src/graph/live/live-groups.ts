import type { Graph } from '../graph.ts';
import type { Difference } from '../graph-difference.ts';
import type { Identity } from '../resources/entity.ts';
import { type ExternalGroup, groupFromWire, metadataIn } from '../resources/external-group.ts';
import type { ByName } from '../resources/field.ts';
import type { GroupAlias } from '../resources/group-alias.ts';
import type { Subject } from '../subject.ts';
import { isObject } from '../values/json.ts';
import { textsOf } from '../values/loose-values.ts';
import { nameKey } from '../values/name-key.ts';

/** A part that could not be read. Whether it exists is not known. */
export interface Unreadable {
  subject: Subject;
  /** The service's reason, or that the budget is spent. */
  why: string;
}

/** The groups of a service, as it answers each. */
export interface AnsweredGroups {
  all: readonly ByName[];
  /** The name that its list has for an id; undefined where it may not be listed. */
  nameInList?: ((id: string) => string) | undefined;
}

/**
 * External groups with their aliases, and all groups by their ids. `internal` answers groups with what is in them, by the
 * names of entities.
 *
 * @param paths of auth methods by their accessors
 */
export function readGroups(
  { all, nameInList }: AnsweredGroups,
  paths: ReadonlyMap<unknown, string>,
  known: Graph | undefined,
  knownOnly: boolean,
): {
  groups: ReadGroup[];
  ids: { id: string; name: string }[];
  internal(entities: readonly { id: string; name: string }[]): Identity[];
} {
  // Without a list, what has been read tells the names.
  const read = new Map(all.map(({ id, name }) => [String(id), String(name)]));
  const groupName = (id: string) => read.get(id) ?? nameInList?.(id) ?? id;
  const declared = new Map((known?.identities ?? []).map((one) => [lowerCase(one.name), one]));
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
        .filter(({ name }) => !knownOnly || declared.has(lowerCase(name)));
    },
  };
}

/** A group as it was read. */
interface ReadGroup {
  group: ExternalGroup;
  alias?: GroupAlias;
  orphan?: Omit<GroupAlias, 'method'> & { accessor: string };
  /** Ids of the groups that it is in, and that are in it. */
  parents: string[];
  members: string[];
}

function readGroup(wire: ByName, paths: ReadonlyMap<unknown, string>): ReadGroup {
  const group = groupFromWire(wire);
  const parents = textsOf(wire['parent_group_ids']);
  const members = textsOf(wire['member_group_ids']);
  const alias = isObject(wire['alias']) ? wire['alias'] : {};
  if (typeof alias['name'] !== 'string' || alias['name'] === '') return { group, parents, members };
  const [name, accessor] = [alias['name'], String(alias['mount_accessor'])];
  const mountPath = String(alias['mount_path'] ?? '').replace(/^auth\/|\/$/g, '');
  const method = paths.get(accessor) ?? mountPath;
  if (method === '') return { group, orphan: { name, group: group.name, accessor }, parents, members };
  return { group, alias: { name, method, group: group.name }, parents, members };
}

/** An external group among others: no stack declares that, and it gives policies. */
export function relativesOf({ group, parents, members }: ReadGroup): Difference[] {
  const of = (field: string, live: string[], note: string): Difference[] =>
    live.length === 0
      ? []
      : [{ kind: 'changed', subject: { type: 'group', name: group.name }, field, live, note, isLeft: true }];
  return [
    ...of('parent_group_ids', parents, 'its members have the policies of these groups as well'),
    ...of('member_group_ids', members, 'members of these groups have its policies as well'),
  ];
}

export function internalGroups(
  identities: Identity[],
  groups: ReadGroup[],
  known: Graph | undefined,
): Difference[] {
  const external = new Set(groups.map(({ group }) => group.name));
  const declared = new Set((known?.identities ?? []).map(({ name }) => lowerCase(name)));
  return identities
    .filter(({ name }) => !external.has(name) && !declared.has(lowerCase(name)))
    .map(({ name, policies, members = [] }) =>
      unmanaged({ type: 'group', name }, `internal, ${policiesNote(policies)}, ${members.length} members`),
    );
}

export function unmanaged(subject: Subject, note: string): Difference {
  return { kind: 'unmanaged', subject, note };
}

export function policiesNote(policies: string[]): string {
  return policies.length === 0 ? 'no policies' : `policies ${policies.join(', ')}`;
}

function isExternal({ type }: ByName): boolean {
  return type === 'external';
}

/** A group as one that others are in. The policies of an external one are its own affair. */
function identityOf(
  data: ByName,
  nameOfGroup: (id: string) => string,
  nameOfEntity: (id: string) => string,
): Identity | undefined {
  const members = [
    ...textsOf(data['member_group_ids']).map((id) => ({ kind: 'group' as const, name: nameOfGroup(id) })),
    ...(isExternal(data)
      ? []
      : textsOf(data['member_entity_ids']).map((id) => ({
          kind: 'entity' as const,
          name: nameOfEntity(id),
        }))),
  ];
  if (isExternal(data) && members.length === 0) return undefined;
  return {
    kind: 'group',
    name: String(data['name']),
    policies: isExternal(data) ? [] : textsOf(data['policies']),
    ...(isExternal(data) ? {} : metadataIn(data)),
    members,
  };
}

function lowerCase(name: unknown): string {
  return String(name).toLowerCase();
}

/**
 * Members of groups that the lists of this namespace do not have. Vault Enterprise takes those of other namespaces, whose own
 * policies are not read here; OpenBao 2.7.2 refuses them.
 */
export function strangersIn(
  identities: readonly Identity[],
  entities: readonly { name: string }[],
  groups: readonly { name: string }[],
  unreadable: readonly Unreadable[],
): Unreadable[] {
  // What may not be listed is told already.
  const isListed = (type: string) => !unreadable.some(({ subject }) => subject.type === type);
  const namesOf = (list: readonly { name: string }[]) => new Set(list.map(({ name }) => name));
  const known = { entity: namesOf(entities), group: namesOf(groups) };
  return identities.flatMap(({ name: of, members = [] }) =>
    members
      .filter(({ kind, name }) => isListed(kind) && !known[kind].has(name))
      .map(({ kind, name }) => ({
        subject: { type: kind, name },
        why: `it is in the group ${JSON.stringify(of)}, and not of this namespace`,
      })),
  );
}

/** Whether a group is one of the declared ones; all are where nothing is declared. */
export function isAbout(known: Graph | undefined) {
  const names = new Set(known?.groups.map(({ name }) => nameKey(name)));
  return ({ group }: ReadGroup) => known === undefined || names.has(nameKey(group.name));
}
