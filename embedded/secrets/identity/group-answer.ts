import { mountOfAccessor } from '../mounts/mount.ts';
import { namespaceId } from '../storage/namespace.ts';
import type { Storage } from '../storage/storage.ts';
import { type Group, memberGroupsOf } from './group.ts';
import { membersOf } from './membership.ts';

/** A group as a read or a look-up answers it. */
export function groupAnswer(storage: Storage, namespace: string, group: Group): Record<string, unknown> {
  return {
    id: group.id,
    name: group.name,
    type: group.type,
    policies: orNull(group.policies),
    metadata: Object.keys(group.metadata).length === 0 ? null : group.metadata,
    member_entity_ids: orNull(membersOf(storage, namespace, group.id)),
    member_group_ids: orNull(memberGroupsOf(storage, namespace, group.id)),
    parent_group_ids: orNull(group.parents),
    alias: groupAliasAnswer(storage, namespace, group) ?? {},
    creation_time: group.created,
    last_update_time: group.updated,
    modify_index: group.writes,
    namespace_id: namespaceId(storage, namespace),
  };
}

/** The alias within what is answered of its group; undefined for a group without one. */
export function groupAliasAnswer(
  storage: Storage,
  namespace: string,
  { id, alias }: Group,
): Record<string, unknown> | undefined {
  if (alias === null) return undefined;
  return {
    id: alias.id,
    canonical_id: id,
    name: alias.name,
    mount_accessor: alias.mountAccessor,
    metadata: null,
    merged_from_canonical_ids: null,
    creation_time: alias.created,
    last_update_time: alias.updated,
    ...mountAnswer(storage, namespace, alias.mountAccessor),
  };
}

/** Path and type of an alias's mount; nothing once the mount is gone. */
export function mountAnswer(
  storage: Storage,
  namespace: string,
  accessor: string,
): { mount_path?: string; mount_type?: string } {
  const mount = mountOfAccessor(storage, namespace, accessor);
  return mount === undefined ? {} : { mount_path: `auth/${mount.path}/`, mount_type: mount.type };
}

/** Real servers answer an empty list of a group as null. */
function orNull(list: string[]): string[] | null {
  return list.length === 0 ? null : list;
}
