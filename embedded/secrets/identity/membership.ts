import { key, partsOf, type Storage } from '../storage/storage.ts';
import { putEntity, readEntity } from './entity.ts';

/*
 * Which entities are members of which groups, kept from both ends: an entity knows its few groups, so that a
 * sign-in needs no search; a group's many members are a key each, so that a sign-in rewrites none but its own.
 */

/** Ids of the entities that are members of a group themselves. */
export function membersOf(storage: Storage, namespace: string, groupId: string): string[] {
  return storage.list(memberKey(namespace, groupId, '')).map(([at]) => partsOf(at).at(-1) ?? '');
}

/** Makes an entity a member of exactly these groups. */
export function setGroups(storage: Storage, namespace: string, entityId: string, groups: string[]): void {
  const entity = readEntity(storage, namespace, entityId);
  if (entity === undefined) return;
  for (const group of entity.groups) {
    if (!groups.includes(group)) storage.delete(memberKey(namespace, group, entityId));
  }
  for (const group of groups) {
    if (!entity.groups.includes(group)) storage.put(memberKey(namespace, group, entityId), true);
  }
  putEntity(storage, namespace, { ...entity, groups });
}

/** Makes exactly these entities members of a group. */
export function setMembers(storage: Storage, namespace: string, groupId: string, entities: string[]): void {
  for (const id of new Set([...membersOf(storage, namespace, groupId), ...entities])) {
    const others = (readEntity(storage, namespace, id)?.groups ?? []).filter((group) => group !== groupId);
    setGroups(storage, namespace, id, entities.includes(id) ? [...others, groupId] : others);
  }
}

function memberKey(namespace: string, groupId: string, entityId: string): string {
  return key(namespace, 'identity', 'group-member', groupId, entityId);
}
