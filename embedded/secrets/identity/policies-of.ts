import { Refusal } from '../protocol/refusal.ts';
import type { Storage } from '../storage/storage.ts';
import { type Entity, entities } from './entity.ts';
import { groups } from './group.ts';

/**
 * The policies that an entity has in addition to its token’s: its own, those of its groups and of the groups these
 * are members of; sorted, each once. None for an entity that is gone.
 *
 * @throws {Refusal} 403 for an entity that is disabled.
 */
export function identityPolicies(storage: Storage, namespace: string, entityId: string): string[] {
  const entity = entities.read(storage, namespace, entityId);
  if (entity === undefined) return [];
  if (entity.disabled) throw new Refusal(403, 'permission denied');
  const policies = new Set(entity.policies);
  for (const id of groupsAround(storage, namespace, entity)) {
    for (const policy of groups.read(storage, namespace, id)?.policies ?? []) policies.add(policy);
  }
  return [...policies].sort();
}

/** Ids of the groups an entity is in: its own first, then those it is in because a group is. */
export function groupsAround(storage: Storage, namespace: string, entity: Pick<Entity, 'groups'>): string[] {
  const found = new Set(entity.groups);
  for (const id of found) {
    for (const parent of groups.read(storage, namespace, id)?.parents ?? []) found.add(parent);
  }
  return [...found];
}
