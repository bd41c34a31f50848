import type { Graph } from '../graph.ts';
import type { Identity } from '../resources/entity.ts';
import { type ExternalGroup, groupFromWire, metadataIn } from '../resources/external-group.ts';
import type { ByName } from '../resources/field.ts';
import type { GroupAlias } from '../resources/group-alias.ts';
import type { Subject } from '../subject.ts';
import { isObject } from '../values/json.ts';
import { textsOf } from '../values/loose-values.ts';
import { nameKey } from '../values/name-key.ts';
import { partName } from '../values/visible.ts';

/** A part that could not be read. Whether it exists is not known. */
export interface Unreadable {
  subject: Subject;
  /** The service's reason, or that the budget is spent. */
  why: string;
}

/** The groups of a service, as it answers each. */
export interface AnsweredGroups {
  all: readonly ByName[];
  /** The names that its list has, by id; undefined where it may not be listed. */
  listed?: ReadonlyMap<string, string> | undefined;
  /** Ids that no group of the service has any more. Defaults to none known. */
  gone?: ReadonlySet<string> | undefined;
}

/** A member of a group that is gone: OpenBao keeps its id, which has no effect. */
export interface GoneMember {
  group: string;
  id: string;
}

/**
 * External groups with their aliases, and all groups by their ids. `internal` answers groups with what is in them, by the
 * names of entities.
 *
 * @param paths of auth methods by their accessors
 */
export function readGroups(
  { all, listed, gone = new Set() }: AnsweredGroups,
  paths: ReadonlyMap<unknown, string>,
  known: Graph | undefined,
  knownOnly: boolean,
): {
  groups: ReadGroup[];
  ids: { id: string; name: string }[];
  gone: GoneMember[];
  internal(entities: readonly { id: string; name: string }[]): Identity[];
} {
  // Without a list, what has been read tells the names.
  const read = new Map(all.map(({ id, name }) => [String(id), String(name)]));
  const groupName = (id: string) => (gone.has(id) ? undefined : (read.get(id) ?? listed?.get(id) ?? id));
  const declared = new Set((known?.identities ?? []).map(({ name }) => nameKey(name)));
  return {
    groups: all.filter(isExternal).map((data) => readGroup(data, paths)),
    ids: [...new Map([...(listed ?? []), ...read])].map(([id, name]) => ({ id, name })),
    gone: all.flatMap((data) =>
      textsOf(data['member_group_ids'])
        .filter((id) => gone.has(id))
        .map((id) => ({ group: String(data['name']), id })),
    ),
    internal: (entities) => {
      const entityNames = new Map(entities.map(({ id, name }) => [id, name]));
      return all
        .flatMap((data) => identityOf(data, groupName, (id) => entityNames.get(id) ?? id) ?? [])
        .filter(({ name }) => !knownOnly || declared.has(nameKey(name)));
    },
  };
}

/** A group as it was read. */
interface ReadGroup {
  group: ExternalGroup;
  alias?: GroupAlias;
  orphan?: Omit<GroupAlias, 'method'> & { accessor: string };
}

function readGroup(wire: ByName, paths: ReadonlyMap<unknown, string>): ReadGroup {
  const group = groupFromWire(wire);
  const alias = isObject(wire['alias']) ? wire['alias'] : {};
  if (typeof alias['name'] !== 'string' || alias['name'] === '') return { group };
  const name = alias['name'];
  const accessor = String(alias['mount_accessor']);
  const mountPath = String(alias['mount_path'] ?? '').replace(/^auth\/|\/$/g, '');
  const method = paths.get(accessor) ?? mountPath;
  if (method === '') return { group, orphan: { name, group: group.name, accessor } };
  return { group, alias: { name, method, group: group.name } };
}

function isExternal({ type }: ByName): boolean {
  return type === 'external';
}

/** A group as one that others are in. The policies of an external one are its own affair. */
function identityOf(
  data: ByName,
  nameOfGroup: (id: string) => string | undefined,
  nameOfEntity: (id: string) => string,
): Identity | undefined {
  const members = [
    ...textsOf(data['member_group_ids'])
      .map(nameOfGroup)
      .filter((name) => name !== undefined)
      .map((name) => ({ kind: 'group' as const, name })),
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
  // Lists that may not be read are reported already.
  const isListed = (type: string) => !unreadable.some(({ subject }) => subject.type === type);
  const namesOf = (list: readonly { name: string }[]) => new Set(list.map(({ name }) => name));
  const known = { entity: namesOf(entities), group: namesOf(groups) };
  return identities.flatMap(({ name: of, members = [] }) =>
    members
      .filter(({ kind, name }) => isListed(kind) && !known[kind].has(name))
      .map(({ kind, name }) => ({
        subject: { type: kind, name },
        why: `it is in the ${partName('group', of)}, and not of this namespace`,
      })),
  );
}
