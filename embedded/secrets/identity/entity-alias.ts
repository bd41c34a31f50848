import { randomUUID } from 'node:crypto';
import { formatInstant } from '../../../core/model/values/instant.ts';
import { mountOfAccessor } from '../mounts/mount.ts';
import { type Fields, pairsField, textField } from '../protocol/fields.ts';
import type { Reply, RequestContext } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type Entity, entities, newEntity } from './entity.ts';
import type { Alias } from './records.ts';

/**
 * Writes the alias with this id; if that is empty the one with the body's name and mount, or a new one
 * (openbao/openbao vault/identity_store_aliases.go). Sign-ins write aliases too: sign-in-entity.ts.
 */
export function writeEntityAlias(context: RequestContext, id: string): Reply {
  const { storage, request } = context;
  const { namespace, body } = request;
  const wish = wishOf(body);
  return storage.transaction(() => {
    if (id !== '') {
      const entity = entities.ofAlias(storage, namespace, id);
      const alias = entity?.aliases.find((one) => one.id === id);
      if (entity === undefined || alias === undefined) throw new Refusal(400, 'invalid alias ID provided');
      return change(context, entity, alias, wish);
    }
    const { name, mountAccessor } = wish;
    if (name === '' || mountAccessor === '') {
      throw new Refusal(400, "'id' or 'mount_accessor' and 'name' must be provided");
    }
    refuseUnknownMount(context, mountAccessor);
    const entity = entities.aliasedAs(storage, namespace, mountAccessor, name);
    const alias = entity && aliasOn(entity, mountAccessor);
    return alias === undefined ? create(context, wish) : change(context, entity as Entity, alias, wish);
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

function aliasOn({ aliases }: Entity, accessor: string): Alias | undefined {
  return aliases.find(({ mountAccessor }) => mountAccessor === accessor);
}

function refuseUnknownMount({ storage, request }: RequestContext, accessor: string): void {
  if (mountOfAccessor(storage, request.namespace, accessor) !== undefined) return;
  throw new Refusal(400, `invalid mount accessor ${JSON.stringify(accessor)}`);
}

/** Creates an alias of an existing or a new entity. */
function create({ storage, request, now }: RequestContext, wish: Wish): Reply {
  const { namespace } = request;
  const { name, mountAccessor, canonicalId, customMetadata = {} } = wish;
  const time = formatInstant(now);
  const entity =
    canonicalId === '' ? newEntity(storage, namespace, time) : entities.read(storage, namespace, canonicalId);
  if (entity === undefined) throw new Refusal(400, 'invalid canonical ID');
  if (aliasOn(entity, mountAccessor) !== undefined) {
    throw new Refusal(400, 'Alias already exists for requested entity and mount accessor');
  }
  const id = randomUUID();
  const alias = { id, name, mountAccessor, metadata: null, customMetadata, created: time, updated: time };
  entities.put(storage, namespace, { ...entity, aliases: [...entity.aliases, alias] });
  return { data: { id, canonical_id: entity.id } };
}

/** Omitted fields are kept. */
function change(context: RequestContext, entity: Entity, alias: Alias, wish: Wish): Reply {
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
  if (stays && mountAccessor !== alias.mountAccessor && aliasOn(entity, mountAccessor) !== undefined) {
    const problem =
      "Alias cannot be updated as the entity already has an alias for the given 'mount_accessor' ";
    throw new Refusal(400, problem);
  }
  const namesake = entities.aliasedAs(storage, namespace, mountAccessor, name);
  if (namesake !== undefined && aliasOn(namesake, mountAccessor)?.id !== alias.id) {
    throw new Refusal(400, 'alias with combination of mount accessor and name already exists');
  }
  const target = stays ? entity : entities.read(storage, namespace, wish.canonicalId);
  if (target === undefined) {
    throw new Refusal(400, "given 'canonical_id' is not associated with an entity");
  }
  if (!stays && aliasOn(target, mountAccessor) !== undefined) {
    const problem = 'Alias cannot be updated as the given entity already has an alias for this mount ';
    throw new Refusal(400, problem);
  }
  const changed = { ...alias, name, mountAccessor, customMetadata, updated: formatInstant(now) };
  const others = entity.aliases.filter(({ id }) => id !== alias.id);
  if (!stays) entities.put(storage, namespace, { ...entity, aliases: others });
  entities.put(storage, namespace, { ...target, aliases: [...(stays ? others : target.aliases), changed] });
  return { data: { id: alias.id, canonical_id: target.id } };
}
