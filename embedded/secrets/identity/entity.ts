import { randomBytes, randomUUID } from 'node:crypto';
import { namespaceId } from '../storage/namespace.ts';
import { key, type Storage } from '../storage/storage.ts';
import { type IndexedRecord, putIndexed, readIndexed } from './indexed-record.ts';

/** What an entity is called by one auth method. */
export type EntityAlias = {
  id: string;
  name: string;
  mountAccessor: string;
  /** What the last sign-in told of it; null before the first. */
  metadata: Record<string, string> | null;
  /** What an administrator wrote of it. */
  customMetadata?: Record<string, string> | undefined;
  created: string;
  updated: string;
};

/** Someone or something that signs in, as it is kept. Times are RFC 3339. */
export type Entity = {
  id: string;
  name: string;
  policies: string[];
  metadata: Record<string, string>;
  disabled: boolean;
  /** At most one for each mount: the same name on two mounts stays two entities. */
  aliases: EntityAlias[];
  /** Ids of the groups it is a member of itself: membership.ts writes them. */
  groups: string[];
  created: string;
  updated: string;
};

/** An entity that is not stored yet, with a name of the service's own. `time` is RFC 3339. */
export function newEntity(storage: Storage, namespace: string, time: string): Entity {
  return {
    id: randomUUID(),
    name: `entity_${randomBytes(4).toString('hex')}.${namespaceId(storage, namespace)}`,
    policies: [],
    metadata: {},
    disabled: false,
    aliases: [],
    groups: [],
    created: time,
    updated: time,
  };
}

export function readEntity(storage: Storage, namespace: string, id: string): Entity | undefined {
  return storage.get(entityKey(namespace, id)) as Entity | undefined;
}

/** The entity of this name, in whatever case. */
export function entityNamed(storage: Storage, namespace: string, name: string): Entity | undefined {
  return readIndexed(storage, nameKey(namespace, name), (id) => readEntity(storage, namespace, id));
}

export function entityOfAlias(storage: Storage, namespace: string, aliasId: string): Entity | undefined {
  return readIndexed(storage, aliasKey(namespace, aliasId), (id) => readEntity(storage, namespace, id));
}

/** The entity whose alias on this mount has this name, in whatever case. */
export function entityAliasedAs(
  storage: Storage,
  namespace: string,
  mountAccessor: string,
  name: string,
): Entity | undefined {
  const indexKey = aliasNameKey(namespace, mountAccessor, name);
  return readIndexed(storage, indexKey, (id) => readEntity(storage, namespace, id));
}

export function entitiesOf(storage: Storage, namespace: string): Entity[] {
  return storage.list(entityKey(namespace, '')).map(([, entity]) => entity as Entity);
}

export function putEntity(storage: Storage, namespace: string, entity: Entity): void {
  const before = readEntity(storage, namespace, entity.id);
  putIndexed(storage, recordOf(namespace, entity.id, before, entity), entity);
}

/** Removes an entity that is no member of any group any more. */
export function deleteEntity(storage: Storage, namespace: string, entity: Entity): void {
  putIndexed(storage, recordOf(namespace, entity.id, entity, undefined), undefined);
}

function recordOf(
  namespace: string,
  id: string,
  before: Entity | undefined,
  after: Entity | undefined,
): IndexedRecord {
  return {
    key: entityKey(namespace, id),
    id,
    before: indexKeys(namespace, before),
    after: indexKeys(namespace, after),
  };
}

function indexKeys(namespace: string, entity: Entity | undefined): string[] {
  if (entity === undefined) return [];
  const aliases = entity.aliases.flatMap(({ id, mountAccessor, name }) => [
    aliasKey(namespace, id),
    aliasNameKey(namespace, mountAccessor, name),
  ]);
  return [nameKey(namespace, entity.name), ...aliases];
}

function entityKey(namespace: string, id: string): string {
  return key(namespace, 'identity', 'entity', id);
}

function nameKey(namespace: string, name: string): string {
  return key(namespace, 'identity', 'entity-name', name.toLowerCase());
}

function aliasKey(namespace: string, aliasId: string): string {
  return key(namespace, 'identity', 'entity-alias', aliasId);
}

function aliasNameKey(namespace: string, mountAccessor: string, name: string): string {
  return key(namespace, 'identity', 'entity-alias-name', mountAccessor, name.toLowerCase());
}
