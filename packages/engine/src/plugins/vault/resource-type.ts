import { GatehouseError, isObject, type ServiceVersion } from '@gatehouse/core/values';
import type { JsonObject, ServiceAnswer, ServiceClient } from '@gatehouse/service-client';
import type { PropertyMap } from '../../property-value.ts';
import type { CheckFailure } from '../plugin.ts';
import { type Schema, toldValues } from './schema.ts';
import { stateFrom } from './state.ts';

/**
 * A type of resource. Clients work in the resource's namespace; inputs are checked and known. `VaultPlugin` does what
 * all types share: checks by schema, differences, previews, read-backs, partial failures, ignored changes.
 */
export interface VaultResourceType {
  /** For example `vault:index/policy:Policy`. */
  token: string;
  schema: Schema;
  /** Checks beyond the schema. The version is undefined until the service is known. */
  check?(inputs: PropertyMap, version: ServiceVersion | undefined): CheckFailure[];
  /**
   * The id, if it follows from the properties; undefined if they are not known yet. A replacement with the same id must
   * delete first, or it would delete the new resource.
   */
  idOf?(properties: PropertyMap): string | undefined;
  /** Version of its state's schema in the official plugin. Defaults to 0. */
  schemaVersion?: number;
  /** Creates the resource and returns its id. If a later step fails, the resource exists. */
  create(client: ServiceClient, inputs: PropertyMap): Promise<Created>;
  /** Writes what can only be written once the resource exists. */
  finish?(client: ServiceClient, inputs: PropertyMap): Promise<void>;
  /** The state with its `id`; undefined if the resource is gone. `declared` is its last state or inputs. */
  read(client: ServiceClient, id: string, declared: PropertyMap): Promise<PropertyMap | undefined>;
  /** Returns what only the answer to the write tells, if anything. */
  update(
    client: ServiceClient,
    id: string,
    olds: PropertyMap,
    news: PropertyMap,
    // biome-ignore lint/suspicious/noConfusingVoidType: most answers tell nothing
  ): Promise<PropertyMap | void>;
  delete(client: ServiceClient, id: string, state: PropertyMap): Promise<void>;
  /** Ids that an interrupted create with these inputs may have created. */
  findCreated(client: ServiceClient, inputs: PropertyMap): Promise<string[]>;
}

/** An id, and what only the answer to the write tells. */
type Created = PropertyMap & { id: string };

/** The id in the answer to a create. @throws GatehouseError `answer_invalid` */
export function idOfCreated(what: string, { data: { id } }: ServiceAnswer): Created {
  if (typeof id === 'string') return { id };
  throw new GatehouseError('answer_invalid.id', { values: { resource: what } });
}

/** The entries of a list that the service describes, by their ids. */
export async function listed(client: ServiceClient, path: string): Promise<[string, JsonObject][]> {
  const all = (await client.list(path))?.data['key_info'];
  const entries = isObject(all) ? Object.entries(all) : [];
  return entries.filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}

/** Reads, updates and deletes a resource at its own path. `written` makes the body of an update. */
export function keptAt(
  schema: Schema,
  pathOf: (id: string) => string,
  written: (inputs: PropertyMap) => JsonObject,
  valuesOf = (data: JsonObject, _id: string) => toldValues(schema, data),
): Pick<VaultResourceType, 'schema' | 'read' | 'update' | 'delete'> {
  return {
    schema,
    async read(client, id, declared) {
      const answer = await client.read(pathOf(id));
      if (answer === undefined) return undefined;
      return { ...stateFrom(schema, declared, valuesOf(answer.data, id)), id };
    },
    async update(client, id, _olds, news) {
      await client.put(pathOf(id), written(news));
    },
    async delete(client, id) {
      await client.delete(pathOf(id));
    },
  };
}
