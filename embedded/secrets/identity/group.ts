import { randomBytes, randomUUID } from 'node:crypto';
import { namespaceId } from '../storage/namespace.ts';
import { key, type Storage } from '../storage/storage.ts';
import { type IndexedRecord, putIndexed, readIndexed } from './indexed-record.ts';
import { setMembers } from './membership.ts';

export const GroupType = {
  /** Its members are named by who writes it. */
  internal: 'internal',
  /** Its members are those whose sign-in says so, by its alias. */
  external: 'external',
} as const;
export type GroupType = (typeof GroupType)[keyof typeof GroupType];

/** What a group is called at the provider behind one auth method. */
export type GroupAlias = {
  id: string;
  name: string;
  mountAccessor: string;
  created: string;
  updated: string;
};

/** A group as it is kept. Times are RFC 3339. Its members: membership.ts. */
export type Group = {
  id: string;
  name: string;
  type: GroupType;
  policies: string[];
  metadata: Record<string, string>;
  /** Ids of the groups it is a member of. */
  parents: string[];
  /** Only an external group has one: a second one takes the place of the first. */
  alias: GroupAlias | null;
  created: string;
  updated: string;
  /** How often it was written. */
  writes: number;
};

/** A group that is not stored yet, with a name of the service's own. `time` is RFC 3339. */
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

export function readGroup(storage: Storage, namespace: string, id: string): Group | undefined {
  return storage.get(groupKey(namespace, id)) as Group | undefined;
}

/** The group of this name, in whatever case. */
export function groupNamed(storage: Storage, namespace: string, name: string): Group | undefined {
  return readIndexed(storage, nameKey(namespace, name), (id) => readGroup(storage, namespace, id));
}

export function groupOfAlias(storage: Storage, namespace: string, aliasId: string): Group | undefined {
  return readIndexed(storage, aliasKey(namespace, aliasId), (id) => readGroup(storage, namespace, id));
}

/** The group whose alias on this mount has this name, in whatever case. */
export function groupAliasedAs(
  storage: Storage,
  namespace: string,
  mountAccessor: string,
  name: string,
): Group | undefined {
  const indexKey = aliasNameKey(namespace, mountAccessor, name);
  return readIndexed(storage, indexKey, (id) => readGroup(storage, namespace, id));
}

export function groupsOf(storage: Storage, namespace: string): Group[] {
  return storage.list(groupKey(namespace, '')).map(([, group]) => group as Group);
}

/** Ids of the groups that are members of this one. */
export function memberGroupsOf(storage: Storage, namespace: string, id: string): string[] {
  return groupsOf(storage, namespace)
    .filter(({ parents }) => parents.includes(id))
    .map((group) => group.id);
}

export function putGroup(storage: Storage, namespace: string, group: Group): void {
  const before = readGroup(storage, namespace, group.id);
  putIndexed(storage, recordOf(namespace, group.id, before, group), group);
}

/** Removes a group; what was a member of it is so no longer. */
export function deleteGroup(storage: Storage, namespace: string, group: Group): void {
  setMembers(storage, namespace, group.id, []);
  for (const id of memberGroupsOf(storage, namespace, group.id)) {
    const member = readGroup(storage, namespace, id);
    if (member === undefined) continue;
    const parents = member.parents.filter((parent) => parent !== group.id);
    putGroup(storage, namespace, { ...member, parents });
  }
  putIndexed(storage, recordOf(namespace, group.id, group, undefined), undefined);
}

function recordOf(
  namespace: string,
  id: string,
  before: Group | undefined,
  after: Group | undefined,
): IndexedRecord {
  return {
    key: groupKey(namespace, id),
    id,
    before: indexKeys(namespace, before),
    after: indexKeys(namespace, after),
  };
}

function indexKeys(namespace: string, group: Group | undefined): string[] {
  if (group === undefined) return [];
  const { name, alias } = group;
  const named = nameKey(namespace, name);
  if (alias === null) return [named];
  return [named, aliasKey(namespace, alias.id), aliasNameKey(namespace, alias.mountAccessor, alias.name)];
}

function groupKey(namespace: string, id: string): string {
  return key(namespace, 'identity', 'group', id);
}

function nameKey(namespace: string, name: string): string {
  return key(namespace, 'identity', 'group-name', name.toLowerCase());
}

function aliasKey(namespace: string, aliasId: string): string {
  return key(namespace, 'identity', 'group-alias', aliasId);
}

function aliasNameKey(namespace: string, mountAccessor: string, name: string): string {
  return key(namespace, 'identity', 'group-alias-name', mountAccessor, name.toLowerCase());
}
