import { formatInstant } from '../../../core/model/values/instant.ts';
import { flagField, listField, pairsField, textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { namespaceId } from '../storage/namespace.ts';
import { type Entity, entities, newEntity, setGroups } from './entity.ts';
import { writeEntityAlias } from './entity-alias.ts';
import { withParents } from './group.ts';
import { aliasAnswer, briefAlias, orNull, policyNames, recordPaths } from './record-paths.ts';

/** Entities and their aliases (openbao/openbao vault/identity_store_entities.go). */
export const entityPaths: SecretsPath[] = recordPaths<Entity>({
  records: entities,
  register: (context) => write(context, {}),
  writeById: (context, id) => write(context, { id }),
  writeByName: (context, name) => write(context, { name }),
  remove({ storage, request }, { id }) {
    setGroups(storage, request.namespace, id, []);
    entities.delete(storage, request.namespace, id);
  },
  answer,
  listed({ storage, request }, { name, aliases }) {
    const listed = aliases.map((alias) => briefAlias(storage, request.namespace, alias));
    return listed.length === 0 ? { name } : { name, aliases: listed };
  },
  registerAlias: (context) => writeEntityAlias(context, textField(context.request.body, 'id') ?? ''),
  writeAlias: writeEntityAlias,
  withoutAlias: (entity, aliasId) => ({
    ...entity,
    aliases: entity.aliases.filter(({ id }) => id !== aliasId),
  }),
});

/** Omitted fields are kept. The path's id and name override the body's. */
function write({ storage, request, now }: RequestContext, path: { id?: string; name?: string }): Reply {
  const { namespace, body } = request;
  const id = path.id ?? textField(body, 'id') ?? '';
  const name = path.name ?? textField(body, 'name') ?? '';
  const time = formatInstant(now);
  return storage.transaction(() => {
    const withId = id === '' ? undefined : entities.read(storage, namespace, id);
    if (id !== '' && withId === undefined) throw new Refusal(400, 'entity not found from id');
    const withName = name === '' ? undefined : entities.named(storage, namespace, name);
    if (withId !== undefined && withName !== undefined && withId.id !== withName.id) {
      throw new Refusal(400, 'entity name is already in use');
    }
    const before = withId ?? withName;
    const entity = before ?? newEntity(storage, namespace, time);
    const after = {
      ...entity,
      name: name === '' ? entity.name : name,
      policies: policyNames(listField(body, 'policies') ?? entity.policies).sort(),
      disabled: flagField(body, 'disabled') ?? entity.disabled,
      metadata: pairsField(body, 'metadata') ?? entity.metadata,
      updated: time,
    };
    entities.put(storage, namespace, after);
    return before === undefined ? { data: { id: after.id, name: after.name, aliases: null } } : {};
  });
}

function answer(
  { storage, request: { namespace } }: RequestContext,
  entity: Entity,
): Record<string, unknown> {
  const groups = withParents(storage, namespace, entity.groups);
  return {
    id: entity.id,
    name: entity.name,
    policies: entity.policies,
    metadata: orNull(entity.metadata),
    disabled: entity.disabled,
    aliases: entity.aliases.map((alias) => aliasAnswer(storage, namespace, entity.id, alias)),
    direct_group_ids: entity.groups,
    inherited_group_ids: groups.filter((id) => !entity.groups.includes(id)),
    group_ids: groups,
    merged_entity_ids: null,
    creation_time: entity.created,
    last_update_time: entity.updated,
    namespace_id: namespaceId(storage, namespace),
  };
}
