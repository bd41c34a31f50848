import { Refusal } from '../protocol/refusal.ts';
import type { Storage } from '../storage/storage.ts';
import { type Entity, readEntity } from './entity.ts';
import { readGroup } from './group.ts';

/**
 * The policies that an entity has beside those of its token: its own, those of its groups and of the groups these
 * are members of; sorted, each once. None for an entity that is gone.
 *
 * @throws {Refusal} 403 for an entity that is disabled.
 */
export function identityPolicies(storage: Storage, namespace: string, entityId: string): string[] {
  const entity = readEntity(storage, namespace, entityId);
  if (entity === undefined) return [];
  if (entity.disabled) throw new Refusal(403, 'permission denied');
  const policies = new Set(entity.policies);
  for (const id of groupsAround(storage, namespace, entity)) {
    for (const policy of readGroup(storage, namespace, id)?.policies ?? []) policies.add(policy);
  }
  return [...policies].sort();
}

/** Ids of the groups an entity is in: its own first, then those it is in because a group is. */
export function groupsAround(storage: Storage, namespace: string, entity: Pick<Entity, 'groups'>): string[] {
  const found = new Set(entity.groups);
  for (const id of found) {
    for (const parent of readGroup(storage, namespace, id)?.parents ?? []) found.add(parent);
  }
  return [...found];
}

/**
 * The policies of a group or an entity: in lower case, each once. Never root, in whatever case or blanks
 * (CVE-2025-54996, CVE-2025-64761).
 *
 * @throws {Refusal} 400
 */
export function policyNames(given: string[]): string[] {
  const names = [...new Set(given.map((name) => name.trim().toLowerCase()))].filter((name) => name !== '');
  if (names.includes('root')) throw new Refusal(400, 'policies cannot contain root');
  return names;
}
