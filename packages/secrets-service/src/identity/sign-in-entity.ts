import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { formatInstant } from '@gatehouse/core/graph';
import { metadataProblem } from '@gatehouse/core/values';
import { RequestRefusal } from '../protocol/refusal.ts';
import type { Space } from '../storage/storage.ts';
import { type Entity, entities, newEntity, setGroups } from './entity.ts';
import { groups as allGroups, GroupType, identityPolicies } from './group.ts';

export interface EntitySignIn {
  mountAccessor: string;
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
 * @throws {RequestRefusal} 403 for a disabled entity
 */
export function signInEntity(
  space: Space,
  now: bigint,
  entitySignIn: EntitySignIn,
): { entityId: string; policies: string[]; groups: string[] } {
  const entity = entityOf(space, now, entitySignIn);
  const groups = joinGroups(space, entity, entitySignIn.mountAccessor, entitySignIn.groups ?? []);
  return { entityId: entity.id, policies: identityPolicies(space, entity.id), groups };
}

/**
 * Sets an entity's external groups of one mount. Returns the names that match a group.
 *
 * @param groupNames The provider's names of groups.
 */
export function joinGroups(
  space: Space,
  entity: Entity,
  mountAccessor: string,
  groupNames: string[],
): string[] {
  const matching = groupNames.flatMap((name) => {
    const group = allGroups.aliasedAs(space, mountAccessor, name);
    return group === undefined ? [] : [{ name, id: group.id }];
  });
  const otherGroups = groupsKept(space, entity, mountAccessor);
  const groups = [...new Set([...otherGroups, ...matching.map(({ id }) => id)])];
  if (!isDeepStrictEqual(new Set(groups), new Set(entity.groups))) setGroups(space, entity.id, groups);
  return matching.map(({ name }) => name);
}

function entityOf(space: Space, now: bigint, { mountAccessor, name, metadata }: EntitySignIn): Entity {
  const existing = entities.aliasedAs(space, mountAccessor, name);
  const time = formatInstant(now);
  const alias = existing?.aliases.find((candidate) => candidate.mountAccessor === mountAccessor);
  if (existing !== undefined && isDeepStrictEqual(alias?.metadata ?? {}, metadata)) return existing;
  const problem = alias === undefined ? metadataProblem('alias', metadata) : undefined;
  if (problem !== undefined) throw new RequestRefusal(500, problem);
  const entity = existing ?? newEntity(space, time);
  const aliasBefore = alias ?? { id: randomUUID(), name, mountAccessor, created: time };
  const changed = { ...aliasBefore, metadata, updated: time };
  const aliases =
    alias === undefined
      ? [...entity.aliases, changed]
      : entity.aliases.map((candidate) => (candidate === alias ? changed : candidate));
  entities.put(space, entity.id, { ...entity, aliases });
  return { ...entity, aliases };
}

/** Ids of an entity's groups that do not depend on the mount. */
function groupsKept(space: Space, entity: Entity, mountAccessor: string): string[] {
  return entity.groups.filter((id) => {
    const group = allGroups.get(space, id);
    if (group?.type !== GroupType.external) return group !== undefined;
    return group.alias !== null && group.alias.mountAccessor !== mountAccessor;
  });
}
