import { randomUUID } from 'node:crypto';
import { formatInstant } from '../../../core/model/values/instant.ts';
import { mountOfAccessor } from '../mounts/mount.ts';
import { type Fields, pairsField, textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { namespaceId } from '../storage/namespace.ts';
import {
  type Entity,
  type EntityAlias,
  entitiesOf,
  entityAliasedAs,
  entityOfAlias,
  newEntity,
  putEntity,
  readEntity,
} from './entity.ts';
import { entityAliasAnswer } from './entity-answer.ts';
import { mountAnswer } from './group-answer.ts';

/**
 * What can be done to aliases of entities (openbao/openbao vault/identity_store_aliases.go), beside what sign-ins do:
 * sign-in-entity.ts.
 */
export const entityAliasPaths: SecretsPath[] = [
  { pattern: 'identity/entity-alias', operations: { update: (context) => write(context, undefined) } },
  { pattern: 'identity/entity-alias/id', operations: { list } },
  {
    pattern: 'identity/entity-alias/id/:id',
    operations: { read, update: (context) => write(context, context.parameters['id']), delete: remove },
  },
];

/** Writes an alias: that of the id, or that which goes by this name on this mount, or a new one. */
function write(context: RequestContext, pathId: string | undefined): Reply {
  const { storage, request } = context;
  const { namespace, body } = request;
  const wish = wishOf(body);
  const id = pathId ?? textField(body, 'id') ?? '';
  return storage.transaction(() => {
    if (id !== '') {
      const entity = entityOfAlias(storage, namespace, id);
      if (entity === undefined) throw new Refusal(400, 'invalid alias ID provided');
      return change(
        context,
        entity,
        aliasOf(entity, (alias) => alias.id === id),
        wish,
      );
    }
    const { name, mountAccessor } = wish;
    if (name === '' || mountAccessor === '') {
      throw new Refusal(400, "'id' or 'mount_accessor' and 'name' must be provided");
    }
    refuseUnknownMount(context, mountAccessor);
    const entity = entityAliasedAs(storage, namespace, mountAccessor, name);
    if (entity === undefined) return create(context, wish);
    return change(
      context,
      entity,
      aliasOf(entity, (alias) => alias.mountAccessor === mountAccessor),
      wish,
    );
  });
}

function wishOf(body: Fields) {
  return {
    name: textField(body, 'name') ?? '',
    mountAccessor: textField(body, 'mount_accessor') ?? '',
    canonicalId: textField(body, 'canonical_id') || textField(body, 'entity_id') || '',
    customMetadata: pairsField(body, 'custom_metadata'),
  };
}

type Wish = ReturnType<typeof wishOf>;

function aliasOf(entity: Entity, isIt: (alias: EntityAlias) => boolean): EntityAlias {
  return entity.aliases.find(isIt) as EntityAlias;
}

function refuseUnknownMount({ storage, request }: RequestContext, accessor: string): void {
  if (mountOfAccessor(storage, request.namespace, accessor) !== undefined) return;
  throw new Refusal(400, `invalid mount accessor ${JSON.stringify(accessor)}`);
}

function isOnMount({ aliases }: Entity, accessor: string): boolean {
  return aliases.some(({ mountAccessor }) => mountAccessor === accessor);
}

/** An alias for somebody, or for somebody new. */
function create({ storage, request, now }: RequestContext, wish: Wish): Reply {
  const { namespace } = request;
  const { name, mountAccessor, canonicalId, customMetadata = {} } = wish;
  const time = formatInstant(now);
  const entity =
    canonicalId === '' ? newEntity(storage, namespace, time) : readEntity(storage, namespace, canonicalId);
  if (entity === undefined) throw new Refusal(400, 'invalid canonical ID');
  if (isOnMount(entity, mountAccessor)) {
    throw new Refusal(400, 'Alias already exists for requested entity and mount accessor');
  }
  const id = randomUUID();
  const alias = { id, name, mountAccessor, metadata: null, customMetadata, created: time, updated: time };
  putEntity(storage, namespace, { ...entity, aliases: [...entity.aliases, alias] });
  return { data: { id, canonical_id: entity.id } };
}

/** What the request leaves out stays as it is. */
function change(context: RequestContext, entity: Entity, alias: EntityAlias, wish: Wish): Reply {
  const { storage, request, now } = context;
  const { namespace } = request;
  const name = wish.name || alias.name;
  const mountAccessor = wish.mountAccessor || alias.mountAccessor;
  const customMetadata = wish.customMetadata ?? alias.customMetadata;
  const stays = wish.canonicalId === '' || wish.canonicalId === entity.id;
  const isSame =
    name === alias.name &&
    mountAccessor === alias.mountAccessor &&
    JSON.stringify(customMetadata) === JSON.stringify(alias.customMetadata);
  if (isSame && stays) return {};
  refuseUnknownMount(context, mountAccessor);
  if (stays && mountAccessor !== alias.mountAccessor && isOnMount(entity, mountAccessor)) {
    const problem =
      "Alias cannot be updated as the entity already has an alias for the given 'mount_accessor' ";
    throw new Refusal(400, problem);
  }
  const namesake = entityAliasedAs(storage, namespace, mountAccessor, name);
  if (
    namesake !== undefined &&
    aliasOf(namesake, (one) => one.mountAccessor === mountAccessor).id !== alias.id
  ) {
    throw new Refusal(400, 'alias with combination of mount accessor and name already exists');
  }
  const target = stays ? entity : readEntity(storage, namespace, wish.canonicalId);
  if (target === undefined) {
    throw new Refusal(400, "given 'canonical_id' is not associated with an entity");
  }
  if (!stays && isOnMount(target, mountAccessor)) {
    const problem = 'Alias cannot be updated as the given entity already has an alias for this mount ';
    throw new Refusal(400, problem);
  }
  const changed = { ...alias, name, mountAccessor, customMetadata, updated: formatInstant(now) };
  const others = entity.aliases.filter(({ id }) => id !== alias.id);
  if (!stays) putEntity(storage, namespace, { ...entity, aliases: others });
  putEntity(storage, namespace, { ...target, aliases: [...(stays ? others : target.aliases), changed] });
  return { data: { id: alias.id, canonical_id: target.id } };
}

function remove({ storage, request, parameters }: RequestContext): Reply {
  storage.transaction(() => {
    const entity = entityOfAlias(storage, request.namespace, parameters['id'] ?? '');
    if (entity === undefined) return;
    const aliases = entity.aliases.filter(({ id }) => id !== parameters['id']);
    putEntity(storage, request.namespace, { ...entity, aliases });
  });
  return {};
}

function read({ storage, request, parameters }: RequestContext): Reply {
  const { namespace } = request;
  const entity = entityOfAlias(storage, namespace, parameters['id'] ?? '');
  const alias = entity?.aliases.find(({ id }) => id === parameters['id']);
  if (entity === undefined || alias === undefined) throw new Refusal(404);
  const answer = entityAliasAnswer(storage, namespace, entity, alias);
  return { data: { ...answer, namespace_id: namespaceId(storage, namespace) } };
}

function list({ storage, request }: RequestContext): Reply {
  const aliases = entitiesOf(storage, request.namespace)
    .flatMap((entity) => entity.aliases.map((alias) => ({ entity, alias })))
    .sort((one, other) => (one.alias.id < other.alias.id ? -1 : 1));
  if (aliases.length === 0) throw new Refusal(404);
  const keyInfo = aliases.map(({ entity, alias }) => [
    alias.id,
    {
      canonical_id: entity.id,
      name: alias.name,
      mount_accessor: alias.mountAccessor,
      metadata: alias.metadata,
      custom_metadata: alias.customMetadata ?? null,
      local: false,
      ...mountAnswer(storage, request.namespace, alias.mountAccessor),
    },
  ]);
  return { data: { keys: aliases.map(({ alias }) => alias.id), key_info: Object.fromEntries(keyInfo) } };
}
