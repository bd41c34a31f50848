import { randomBytes, randomUUID } from 'node:crypto';
import { namespaceId } from '../storage/namespace.ts';
import type { Storage } from '../storage/storage.ts';
import { setMembers } from './entity.ts';
import { type Alias, Records } from './records.ts';

export const GroupType = {
  /** Its members are named by who writes it. */
  internal: 'internal',
  /** Its members are those whose sign-in says so, by its alias. */
  external: 'external',
} as const;
export type GroupType = (typeof GroupType)[keyof typeof GroupType];

/** A group as it is kept. Times are RFC 3339. Its members are kept with the entities. */
export type Group = {
  id: string;
  name: string;
  type: GroupType;
  policies: string[];
  metadata: Record<string, string>;
  /** Ids of the groups it is a member of. */
  parents: string[];
  /** Only an external group has one: a second one takes the place of the first. */
  alias: Alias | null;
  created: string;
  updated: string;
  /** How often it was written. */
  writes: number;
};

export const groups = new Records<Group>('group', ({ alias }) => (alias === null ? [] : [alias]));

/** A group that is not stored yet, with a generated name. `time` is RFC 3339. */
export function newGroup(storage: Storage, namespace: string, type: GroupType, time: string): Group {
  return {
    id: randomUUID(),
    name: `group_${randomBytes(4).toString('hex')}.${namespaceId(storage, namespace)}`,
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

/** Ids of the groups that are members of this one. */
export function memberGroupsOf(storage: Storage, namespace: string, id: string): string[] {
  return groups
    .all(storage, namespace)
    .filter(({ parents }) => parents.includes(id))
    .map((group) => group.id);
}

/** Removes a group; what was a member of it is so no longer. */
export function deleteGroup(storage: Storage, namespace: string, { id }: Group): void {
  setMembers(storage, namespace, id, []);
  for (const member of groups.all(storage, namespace)) {
    if (!member.parents.includes(id)) continue;
    const parents = member.parents.filter((parent) => parent !== id);
    groups.put(storage, namespace, { ...member, parents });
  }
  groups.delete(storage, namespace, id);
}
