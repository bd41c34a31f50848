import { randomBytes, randomUUID } from 'node:crypto';
import { RequestRefusal } from '../protocol/refusal.ts';
import { namespaceId } from '../storage/namespace.ts';
import type { Space } from '../storage/storage.ts';
import { entities, setMembers } from './entity.ts';
import { type Alias, Records } from './records.ts';

export const GroupType = {
  /** Its members are written with the group. */
  internal: 'internal',
  /** Its members come from sign-ins, by its alias. */
  external: 'external',
} as const;
export type GroupType = (typeof GroupType)[keyof typeof GroupType];

/** A stored group. Times are RFC 3339. Members are stored with the entities. */
export type StoredGroup = {
  id: string;
  name: string;
  type: GroupType;
  policies: string[];
  metadata: Record<string, string>;
  /** Ids of the groups it is a member of. */
  parents: string[];
  /** Null for internal groups. */
  alias: Alias | null;
  created: string;
  updated: string;
  writes: number;
};

export const groups = new Records<StoredGroup>('group', ({ alias }) => (alias === null ? [] : [alias]));

/** A new group with a generated name, not stored yet. `time` is RFC 3339. */
export function newGroup(space: Space, type: GroupType, time: string): StoredGroup {
  return {
    id: randomUUID(),
    name: `group_${randomBytes(4).toString('hex')}.${namespaceId(space)}`,
    type,
    policies: [],
    metadata: {},
    parents: [],
    alias: null,
    created: time,
    updated: time,
    writes: 0,
  };
}

/** Stores a change of a group, and counts it. `time` is RFC 3339. */
export function changeGroup(
  space: Space,
  group: StoredGroup,
  time: string,
  change: Partial<StoredGroup>,
): void {
  groups.put(space, group.id, { ...group, ...change, updated: time, writes: group.writes + 1 });
}

export function memberGroupsOf(space: Space, id: string): StoredGroup[] {
  return groups.all(space).filter(({ parents }) => parents.includes(id));
}

/** Deletes a group and all memberships in it. */
export function deleteGroup(space: Space, { id }: StoredGroup): void {
  setMembers(space, id, []);
  for (const member of memberGroupsOf(space, id)) {
    groups.put(space, member.id, { ...member, parents: member.parents.filter((parent) => parent !== id) });
  }
  groups.delete(space, id);
}

/** Ids of groups, and of all groups above them. */
export function withParents(space: Space, ids: string[]): string[] {
  const reached = new Set(ids);
  for (const id of reached) {
    for (const parent of groups.get(space, id)?.parents ?? []) reached.add(parent);
  }
  return [...reached];
}

/** Names of the groups that an entity is in, sorted; none for a deleted entity. */
export function groupNames(space: Space, entityId: string): string[] {
  const ids = withParents(space, entities.get(space, entityId)?.groups ?? []);
  return ids.flatMap((id) => groups.get(space, id)?.name ?? []).sort();
}

/**
 * The policies that a token has through its entity and the entity's groups, sorted; none for a deleted entity.
 *
 * @throws {RequestRefusal} 403 for a disabled entity
 */
export function identityPolicies(space: Space, entityId: string): string[] {
  const entity = entities.get(space, entityId);
  if (entity === undefined) return [];
  if (entity.disabled) throw new RequestRefusal(403, 'permission denied');
  const policies = new Set(entity.policies);
  for (const id of withParents(space, entity.groups)) {
    for (const policy of groups.get(space, id)?.policies ?? []) policies.add(policy);
  }
  return [...policies].sort();
}
