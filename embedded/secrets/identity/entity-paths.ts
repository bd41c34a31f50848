import { formatInstant } from '../../../core/model/values/instant.ts';
import { flagField, listField, pairsField, textField } from '../protocol/fields.ts';
import type { Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import {
  deleteEntity,
  type Entity,
  entitiesOf,
  entityNamed,
  newEntity,
  putEntity,
  readEntity,
} from './entity.ts';
import { entityAnswer } from './entity-answer.ts';
import { mountAnswer } from './group-answer.ts';
import { setGroups } from './membership.ts';
import { policyNames } from './policies-of.ts';

/** What can be done to entities (openbao/openbao vault/identity_store_entities.go). */
export const entityPaths: SecretsPath[] = [
  { pattern: 'identity/entity', operations: { update: (context) => write(context, {}) } },
  { pattern: 'identity/entity/id', operations: { list: listById } },
  {
    pattern: 'identity/entity/id/:id',
    operations: {
      read: (context) => read(context, byId(context)),
      update: (context) => write(context, { id: context.parameters['id'] }),
      delete: (context) => remove(context, byId),
    },
  },
  { pattern: 'identity/entity/name', operations: { list: listByName } },
  {
    pattern: 'identity/entity/name/:name+',
    operations: {
      read: (context) => read(context, byName(context)),
      update: (context) => write(context, { name: context.parameters['name'] }),
      delete: (context) => remove(context, byName),
    },
  },
];

function byId({ storage, request, parameters }: RequestContext): Entity | undefined {
  return readEntity(storage, request.namespace, parameters['id'] ?? '');
}

function byName({ storage, request, parameters }: RequestContext): Entity | undefined {
  return entityNamed(storage, request.namespace, parameters['name'] ?? '');
}

/** Writes what the body has of an entity; what it leaves out stays as it is. The path's id and name go before. */
function write({ storage, request, now }: RequestContext, path: { id?: string; name?: string }): Reply {
  const { namespace, body } = request;
  const id = path.id ?? textField(body, 'id') ?? '';
  const name = path.name ?? textField(body, 'name') ?? '';
  const time = formatInstant(now);
  return storage.transaction(() => {
    const withId = id === '' ? undefined : readEntity(storage, namespace, id);
    if (id !== '' && withId === undefined) throw new Refusal(400, 'entity not found from id');
    const withName = name === '' ? undefined : entityNamed(storage, namespace, name);
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
    putEntity(storage, namespace, after);
    return before === undefined ? { data: { id: after.id, name: after.name, aliases: null } } : {};
  });
}

function read({ storage, request }: RequestContext, entity: Entity | undefined): Reply {
  if (entity === undefined) throw new Refusal(404);
  return { data: entityAnswer(storage, request.namespace, entity) };
}

function remove(context: RequestContext, find: (context: RequestContext) => Entity | undefined): Reply {
  const { storage, request } = context;
  storage.transaction(() => {
    const entity = find(context);
    if (entity === undefined) return;
    setGroups(storage, request.namespace, entity.id, []);
    deleteEntity(storage, request.namespace, entity);
  });
  return {};
}

function listById({ storage, request }: RequestContext): Reply {
  const entities = entitiesOf(storage, request.namespace);
  if (entities.length === 0) throw new Refusal(404);
  const keyInfo = entities.map(({ id, name, aliases }) => {
    const listed = aliases.map((alias) => ({
      id: alias.id,
      name: alias.name,
      mount_accessor: alias.mountAccessor,
      ...mountAnswer(storage, request.namespace, alias.mountAccessor),
    }));
    return [id, listed.length === 0 ? { name } : { name, aliases: listed }];
  });
  return { data: { keys: entities.map(({ id }) => id), key_info: Object.fromEntries(keyInfo) } };
}

function listByName({ storage, request }: RequestContext): Reply {
  const entities = entitiesOf(storage, request.namespace);
  if (entities.length === 0) throw new Refusal(404);
  return { data: { keys: entities.map(({ name }) => name) } };
}
