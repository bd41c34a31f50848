import { randomUUID } from 'node:crypto';
import { formatInstant } from '../../../core/model/values/instant.ts';
import type { Storage } from '../storage/storage.ts';
import { type Entity, entities, newEntity, setGroups } from './entity.ts';
import { groups as allGroups, GroupType } from './group.ts';
import { identityPolicies } from './policies-of.ts';

/** The names of a provider for the groups that someone is in, on one mount. */
export interface MountGroups {
  namespace: string;
  mountAccessor: string;
  groups: string[];
}

/** Who signs in: what the auth method found out about them. */
export interface SignedIn extends Omit<MountGroups, 'groups'> {
  mountPath: string;
  mountType: string;
  /** Of the entity on this mount: the user claim. */
  name: string;
  metadata: Record<string, string>;
  /** What the provider calls the groups they are in. Defaults to none. */
  groups?: string[];
}

/**
 * Makes or finds the entity of who signs in, and makes it a member of exactly those external groups with an alias
 * on this mount that the provider names: a group left out is left (GHSA-m979-w9wj-qfj9). Groups of other mounts,
 * and internal ones, stay as they are.
 *
 * @returns The policies of the entity and its groups, sorted; of the names of groups those that name one here.
 * @throws {Refusal} 403 for an entity that is disabled.
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

/**
 * Makes an entity a member of exactly those external groups with an alias on the mount that are named.
 *
 * @returns the names that have such a group
 */
export function joinGroups(storage: Storage, entity: Entity, given: MountGroups): string[] {
  const { namespace, mountAccessor } = given;
  const named = given.groups.flatMap((name) => {
    const group = allGroups.aliasedAs(storage, namespace, mountAccessor, name);
    return group === undefined ? [] : [{ name, id: group.id }];
  });
  const kept = groupsKept(storage, entity, given);
  const groups = [...new Set([...kept, ...named.map(({ id }) => id)])];
  const isSame =
    groups.length === entity.groups.length && groups.every((group) => entity.groups.includes(group));
  if (!isSame) setGroups(storage, namespace, entity.id, groups);
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
  if (alias === undefined || isEqual(alias.metadata ?? {}, metadata)) return found;
  const aliases = found.aliases.map((one) => (one === alias ? { ...one, metadata, updated: time } : one));
  const entity = { ...found, aliases };
  entities.put(storage, namespace, entity);
  return entity;
}

/** Ids of the groups of an entity that are no concern of the mount's. */
function groupsKept(storage: Storage, entity: Entity, { namespace, mountAccessor }: MountGroups): string[] {
  return entity.groups.filter((id) => {
    const group = allGroups.read(storage, namespace, id);
    if (group?.type !== GroupType.external) return group !== undefined;
    return group.alias !== null && group.alias.mountAccessor !== mountAccessor;
  });
}

function isEqual(one: Record<string, string>, other: Record<string, string>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
