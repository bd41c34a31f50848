import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { formatInstant } from '../../../core/model/values/instant.ts';
import type { Storage } from '../storage/storage.ts';
import { type Entity, entities, newEntity, setGroups } from './entity.ts';
import { groups as allGroups, GroupType, identityPolicies } from './group.ts';

interface MountGroups {
  namespace: string;
  mountAccessor: string;
  /** The provider's names of groups. */
  groups: string[];
}

export interface SignedIn extends Omit<MountGroups, 'groups'> {
  /** Name of the entity's alias: the user claim. */
  name: string;
  metadata: Record<string, string>;
  /** The provider's names of groups. Defaults to none. */
  groups?: string[];
}

/**
 * Finds or creates the entity of a sign-in, and sets its external groups of this mount to those that the provider
 * names (GHSA-m979-w9wj-qfj9). Its other groups stay.
 *
 * @returns The policies of the entity and its groups, sorted; the names that match an external group.
 * @throws {Refusal} 403 for a disabled entity
 */
export function signInEntity(
  storage: Storage,
  now: bigint,
  signedIn: SignedIn,
): { entityId: string; policies: string[]; groups: string[] } {
  return storage.transaction(() => {
    const { namespace, groups = [] } = signedIn;
    const entity = entityOf(storage, now, signedIn);
    const known = joinGroups(storage, entity, { ...signedIn, groups });
    return { entityId: entity.id, policies: identityPolicies(storage, namespace, entity.id), groups: known };
  });
}

/** Sets an entity's external groups of one mount. Returns the names that match a group. */
export function joinGroups(storage: Storage, entity: Entity, given: MountGroups): string[] {
  const { namespace, mountAccessor } = given;
  const named = given.groups.flatMap((name) => {
    const group = allGroups.aliasedAs(storage, namespace, mountAccessor, name);
    return group === undefined ? [] : [{ name, id: group.id }];
  });
  const kept = groupsKept(storage, entity, given);
  const groups = [...new Set([...kept, ...named.map(({ id }) => id)])];
  if (!isDeepStrictEqual(new Set(groups), new Set(entity.groups))) {
    setGroups(storage, namespace, entity.id, groups);
  }
  return named.map(({ name }) => name);
}

function entityOf(storage: Storage, now: bigint, signedIn: SignedIn): Entity {
  const { namespace, mountAccessor, name, metadata } = signedIn;
  const found = entities.aliasedAs(storage, namespace, mountAccessor, name);
  const time = formatInstant(now);
  if (found === undefined) {
    const alias = { id: randomUUID(), name, mountAccessor, metadata, created: time, updated: time };
    const entity = { ...newEntity(storage, namespace, time), aliases: [alias] };
    entities.put(storage, namespace, entity);
    return entity;
  }
  const alias = found.aliases.find((one) => one.mountAccessor === mountAccessor);
  if (alias === undefined || isDeepStrictEqual(alias.metadata ?? {}, metadata)) return found;
  const aliases = found.aliases.map((one) => (one === alias ? { ...one, metadata, updated: time } : one));
  const entity = { ...found, aliases };
  entities.put(storage, namespace, entity);
  return entity;
}

/** Ids of an entity's groups that do not depend on the mount. */
function groupsKept(storage: Storage, entity: Entity, { namespace, mountAccessor }: MountGroups): string[] {
  return entity.groups.filter((id) => {
    const group = allGroups.read(storage, namespace, id);
    if (group?.type !== GroupType.external) return group !== undefined;
    return group.alias !== null && group.alias.mountAccessor !== mountAccessor;
  });
}
