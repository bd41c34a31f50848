import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { formatInstant } from '@gatehouse/core/graph';
import { metadataProblem } from '@gatehouse/core/values';
import { z } from 'zod';
import { mountOfAccessor } from '../mounts/mount.ts';
import { flagField, listField, pairsField, type RequestFields, textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { oneError, RequestRefusal } from '../protocol/refusal.ts';
import { all, flag, list, pairs, strings, texts, textsByName } from '../protocol/schemas.ts';
import { namespaceId } from '../storage/namespace.ts';
import { type Entity, entities, newEntity, setGroups } from './entity.ts';
import { withParents } from './group.ts';
import {
  aliasAnswer,
  aliasBody,
  aliasSchema,
  briefAlias,
  briefAliasFields,
  orNull,
  policyNames,
  type RecordPath,
  recordPaths,
  timeFields,
} from './record-paths.ts';
import type { Alias } from './records.ts';

const record = z.strictObject({
  ...strings('id', 'name', 'namespace_id'),
  ...timeFields,
  ...all(texts, 'policies', 'direct_group_ids', 'inherited_group_ids', 'group_ids'),
  metadata: textsByName.nullable(),
  disabled: z.boolean(),
  aliases: z.array(aliasSchema),
  merged_entity_ids: z.null(),
});

/** Entities and their aliases (openbao/openbao vault/identity_store_entities.go). */
export const entityPaths: SecretsPath[] = recordPaths<Entity>({
  records: entities,
  write,
  remove(context, { id }) {
    setGroups(context, id, []);
    entities.delete(context, id);
  },
  answer,
  listed(context, { name, aliases }) {
    return {
      name,
      aliases: aliases.length === 0 ? undefined : aliases.map((alias) => briefAlias(context, alias)),
    };
  },
  writeAlias,
  withoutAlias: (entity, aliasId) => ({
    ...entity,
    aliases: entity.aliases.filter(({ id }) => id !== aliasId),
  }),
  called: ['an entity', 'entities'],
  schemas: {
    record,
    body: z.object({ ...strings('id', 'name'), policies: list, metadata: pairs, disabled: flag }).partial(),
    created: z.strictObject({ ...strings('id', 'name'), aliases: z.null() }),
    listed: z.strictObject({
      name: z.string(),
      aliases: z.array(z.strictObject(briefAliasFields)).optional(),
    }),
    aliasBody: aliasBody
      .partial()
      .extend({ entity_id: z.string().optional(), custom_metadata: pairs.optional() }),
  },
});

/** Omitted fields are kept. The path's id and name override the body's. */
function write(context: RequestContext, path: RecordPath): Reply {
  const { now, body } = context;
  const id = path.id ?? textField(body, 'id') ?? '';
  const name = path.name ?? textField(body, 'name') ?? '';
  const time = formatInstant(now);
  const withId = id === '' ? undefined : entities.get(context, id);
  if (id !== '' && withId === undefined) throw new RequestRefusal(400, 'entity not found from id');
  const withName = name === '' ? undefined : entities.named(context, name);
  if (withId !== undefined && withName !== undefined && withId.id !== withName.id) {
    throw new RequestRefusal(400, 'entity name is already in use');
  }
  const metadata = pairsField(body, 'metadata');
  const invalid = metadataProblem('entity', metadata ?? {});
  if (invalid !== undefined) throw new RequestRefusal(500, oneError(invalid));
  const before = withId ?? withName;
  const entity = before ?? newEntity(context, time);
  const after = {
    ...entity,
    name: name || entity.name,
    policies: policyNames(listField(body, 'policies') ?? entity.policies).sort(),
    disabled: flagField(body, 'disabled') ?? entity.disabled,
    metadata: metadata ?? entity.metadata,
    updated: time,
  };
  entities.put(context, after.id, after);
  return before === undefined ? { data: { id: after.id, name: after.name, aliases: null } } : {};
}

function answer(context: RequestContext, entity: Entity): Record<string, unknown> {
  const groups = withParents(context, entity.groups);
  return {
    id: entity.id,
    name: entity.name,
    policies: entity.policies,
    metadata: orNull(entity.metadata),
    disabled: entity.disabled,
    aliases: entity.aliases.map((alias) => aliasAnswer(context, entity.id, alias)),
    direct_group_ids: entity.groups,
    inherited_group_ids: groups.filter((id) => !entity.groups.includes(id)),
    group_ids: groups,
    merged_entity_ids: null,
    creation_time: entity.created,
    last_update_time: entity.updated,
    namespace_id: namespaceId(context),
  };
}

/**
 * Writes the alias with this id; if that is empty the one with the body's name and mount, or a new one
 * (openbao/openbao vault/identity_store_aliases.go). Sign-ins write aliases too: sign-in-entity.ts.
 */
function writeAlias(context: RequestContext, id = ''): Reply {
  const requested = requestedAlias(context.body);
  if (id !== '') {
    const entity = entities.ofAlias(context, id);
    const alias = entity?.aliases.find((candidate) => candidate.id === id);
    if (entity === undefined || alias === undefined)
      throw new RequestRefusal(400, 'invalid alias ID provided');
    return changeAlias(context, entity, alias, requested);
  }
  const { name, mountAccessor } = requested;
  if (name === '' || mountAccessor === '') {
    throw new RequestRefusal(400, "'id' or 'mount_accessor' and 'name' must be provided");
  }
  refuseUnknownMount(context, mountAccessor);
  const entity = entities.aliasedAs(context, mountAccessor, name);
  const alias = entity && aliasOn(entity, mountAccessor);
  return alias === undefined
    ? createAlias(context, requested)
    : changeAlias(context, entity as Entity, alias, requested);
}

function requestedAlias(body: RequestFields) {
  return {
    name: textField(body, 'name') ?? '',
    mountAccessor: textField(body, 'mount_accessor') ?? '',
    canonicalId: textField(body, 'canonical_id') || textField(body, 'entity_id') || '',
    customMetadata: pairsField(body, 'custom_metadata'),
  };
}

type RequestedAlias = ReturnType<typeof requestedAlias>;

function aliasOn({ aliases }: Entity, accessor: string): Alias | undefined {
  return aliases.find(({ mountAccessor }) => mountAccessor === accessor);
}

function refuseUnknownMount(context: RequestContext, accessor: string): void {
  if (mountOfAccessor(context, accessor) !== undefined) return;
  throw new RequestRefusal(400, `invalid mount accessor ${JSON.stringify(accessor)}`);
}

function createAlias(context: RequestContext, requested: RequestedAlias): Reply {
  const { name, mountAccessor, canonicalId, customMetadata = {} } = requested;
  const time = formatInstant(context.now);
  const entity = canonicalId === '' ? newEntity(context, time) : entities.get(context, canonicalId);
  if (entity === undefined) throw new RequestRefusal(400, 'invalid canonical ID');
  if (aliasOn(entity, mountAccessor) !== undefined) {
    throw new RequestRefusal(400, 'Alias already exists for requested entity and mount accessor');
  }
  const id = randomUUID();
  const alias = { id, name, mountAccessor, metadata: null, customMetadata, created: time, updated: time };
  entities.put(context, entity.id, { ...entity, aliases: [...entity.aliases, alias] });
  return { data: { id, canonical_id: entity.id } };
}

/** Omitted fields are kept. */
function changeAlias(
  context: RequestContext,
  entity: Entity,
  alias: Alias,
  requested: RequestedAlias,
): Reply {
  const name = requested.name || alias.name;
  const mountAccessor = requested.mountAccessor || alias.mountAccessor;
  const customMetadata = requested.customMetadata ?? alias.customMetadata;
  const stays = requested.canonicalId === '' || requested.canonicalId === entity.id;
  const isSame = isDeepStrictEqual(
    [name, mountAccessor, customMetadata],
    [alias.name, alias.mountAccessor, alias.customMetadata],
  );
  if (isSame && stays) return {};
  refuseUnknownMount(context, mountAccessor);
  if (stays && mountAccessor !== alias.mountAccessor && aliasOn(entity, mountAccessor) !== undefined) {
    throw new RequestRefusal(
      400,
      "Alias cannot be updated as the entity already has an alias for the given 'mount_accessor' ",
    );
  }
  const namesake = entities.aliasedAs(context, mountAccessor, name);
  if (namesake !== undefined && aliasOn(namesake, mountAccessor)?.id !== alias.id) {
    throw new RequestRefusal(400, 'alias with combination of mount accessor and name already exists');
  }
  const target = stays ? entity : entities.get(context, requested.canonicalId);
  if (target === undefined) {
    throw new RequestRefusal(400, "given 'canonical_id' is not associated with an entity");
  }
  if (!stays && aliasOn(target, mountAccessor) !== undefined) {
    throw new RequestRefusal(
      400,
      'Alias cannot be updated as the given entity already has an alias for this mount ',
    );
  }
  const changed = { ...alias, name, mountAccessor, customMetadata, updated: formatInstant(context.now) };
  const otherAliases = entity.aliases.filter(({ id }) => id !== alias.id);
  if (!stays) entities.put(context, entity.id, { ...entity, aliases: otherAliases });
  const aliases = [...(stays ? otherAliases : target.aliases), changed];
  entities.put(context, target.id, { ...target, aliases });
  return { data: { id: alias.id, canonical_id: target.id } };
}
