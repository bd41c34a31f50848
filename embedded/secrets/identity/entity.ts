import { randomBytes, randomUUID } from 'node:crypto';
import { namespaceId } from '../storage/namespace.ts';
import { key, partsOf, type Storage } from '../storage/storage.ts';
import { type Alias, Records } from './records.ts';

/** A stored entity: someone or something that signs in. Times are RFC 3339. */
export type Entity = {
  id: string;
  name: string;
  policies: string[];
  metadata: Record<string, string>;
  disabled: boolean;
  /** At most one per mount. */
  aliases: Alias[];
  /** Ids of the groups it is a direct member of; `setGroups` writes them. */
  groups: string[];
  created: string;
  updated: string;
};

export const entities = new Records<Entity>('entity', ({ aliases }) => aliases);

/** A new entity with a generated name, not stored yet. `time` is RFC 3339. */
export function newEntity(storage: Storage, namespace: string, time: string): Entity {
  return {
    id: randomUUID(),
    name: `entity_${randomBytes(4).toString('hex')}.${namespaceId(storage, namespace)}`,
    policies: [],
    metadata: {},
    disabled: false,
    aliases: [],
    groups: [],
    created: time,
    updated: time,
  };
}

// Membership is stored twice: an entity lists its few groups, so a sign-in need not search, and each of a group's many
// members has a key, so a sign-in writes only its own.

/** Ids of the entities that are direct members of a group. */
export function membersOf(storage: Storage, namespace: string, groupId: string): string[] {
  return storage.list(memberKey(namespace, groupId, '')).map(([at]) => partsOf(at).at(-1) ?? '');
}

/** Makes an entity a member of exactly these groups. */
export function setGroups(storage: Storage, namespace: string, entityId: string, groups: string[]): void {
  const entity = entities.read(storage, namespace, entityId);
  if (entity === undefined) return;
  for (const group of entity.groups) {
    if (!groups.includes(group)) storage.delete(memberKey(namespace, group, entityId));
  }
  for (const group of groups) {
    if (!entity.groups.includes(group)) storage.put(memberKey(namespace, group, entityId), true);
  }
  entities.put(storage, namespace, { ...entity, groups });
}

/** Makes exactly these entities members of a group. */
export function setMembers(storage: Storage, namespace: string, groupId: string, members: string[]): void {
  for (const id of new Set([...membersOf(storage, namespace, groupId), ...members])) {
    const groups = entities.read(storage, namespace, id)?.groups ?? [];
    const others = groups.filter((group) => group !== groupId);
    setGroups(storage, namespace, id, members.includes(id) ? [...others, groupId] : others);
  }
}

function memberKey(namespace: string, groupId: string, entityId: string): string {
  return key(namespace, 'identity', 'group-member', groupId, entityId);
}
