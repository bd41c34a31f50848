import { namespaceId } from '../storage/namespace.ts';
import type { Storage } from '../storage/storage.ts';
import type { Entity, EntityAlias } from './entity.ts';
import { mountAnswer } from './group-answer.ts';
import { groupsAround } from './policies-of.ts';

/** An entity as a read or a look-up answers it. */
export function entityAnswer(storage: Storage, namespace: string, entity: Entity): Record<string, unknown> {
  const groups = groupsAround(storage, namespace, entity);
  return {
    id: entity.id,
    name: entity.name,
    policies: entity.policies,
    metadata: Object.keys(entity.metadata).length === 0 ? null : entity.metadata,
    disabled: entity.disabled,
    aliases: entity.aliases.map((alias) => entityAliasAnswer(storage, namespace, entity, alias)),
    direct_group_ids: entity.groups,
    inherited_group_ids: groups.filter((id) => !entity.groups.includes(id)),
    group_ids: groups,
    merged_entity_ids: null,
    creation_time: entity.created,
    last_update_time: entity.updated,
    namespace_id: namespaceId(storage, namespace),
  };
}

export function entityAliasAnswer(
  storage: Storage,
  namespace: string,
  { id }: Entity,
  alias: EntityAlias,
): Record<string, unknown> {
  return {
    id: alias.id,
    canonical_id: id,
    name: alias.name,
    mount_accessor: alias.mountAccessor,
    metadata: alias.metadata,
    custom_metadata: alias.customMetadata ?? null,
    local: false,
    merged_from_canonical_ids: null,
    creation_time: alias.created,
    last_update_time: alias.updated,
    ...mountAnswer(storage, namespace, alias.mountAccessor),
  };
}
