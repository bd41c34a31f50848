import { randomBytes, randomUUID } from 'node:crypto';
import { namespaceId } from '../storage/namespace.ts';
import { Collection, type Space } from '../storage/storage.ts';
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
export function newEntity(space: Space, time: string): Entity {
  return {
    id: randomUUID(),
    name: `entity_${randomBytes(4).toString('hex')}.${namespaceId(space)}`,
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
const membersIn = (groupId: string) => new Collection<true>('identity', 'group-member', groupId);

export function membersOf(space: Space, groupId: string): string[] {
  return membersIn(groupId).names(space);
}

/** Makes an entity a member of exactly these groups. */
export function setGroups(space: Space, entityId: string, groups: string[]): void {
  const entity = entities.get(space, entityId);
  if (entity === undefined) return;
  for (const group of entity.groups) {
    if (!groups.includes(group)) membersIn(group).delete(space, entityId);
  }
  for (const group of groups) {
    if (!entity.groups.includes(group)) membersIn(group).put(space, entityId, true);
  }
  entities.put(space, entityId, { ...entity, groups });
}

/** Makes exactly these entities members of a group. */
export function setMembers(space: Space, groupId: string, members: string[]): void {
  for (const id of new Set([...membersOf(space, groupId), ...members])) {
    const groups = entities.get(space, id)?.groups ?? [];
    const otherGroups = groups.filter((group) => group !== groupId);
    setGroups(space, id, members.includes(id) ? [...otherGroups, groupId] : otherGroups);
  }
}
