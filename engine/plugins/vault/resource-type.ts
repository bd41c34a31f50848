import type { JsonObject, ServiceClient } from '../../../client/service-client.ts';
import type { ServiceVersion } from '../../../core/model/values/service-version.ts';
import type { PropertyMap } from '../../property-value.ts';
import type { CheckFailure } from '../plugin.ts';
import { type Schema, toldValues } from './schema.ts';
import { stateFrom } from './state.ts';

/**
 * What one type of resource is and does. The client is set to the resource's namespace, inputs are checked
 * and known. What is common to all types (checks by schema, differences, previews, read-backs, partial
 * failures, ignored changes) is done once, by `VaultPlugin`.
 */
export interface ResourceType {
  /** For example `vault:index/policy:Policy`. */
  token: string;
  schema: Schema;
  /** What the schema cannot say. The version is undefined while the service is not known yet. */
  check?(inputs: PropertyMap, version: ServiceVersion | undefined): CheckFailure[];
  /**
   * The id a resource with these properties has, where they alone say it; undefined when they are not known
   * yet. A replacement with the same id must delete first, or it would delete what it has just made.
   */
  idOf?(properties: PropertyMap): string | undefined;
  /** Makes the resource and returns its id. From then on it exists, whatever fails. */
  create(client: ServiceClient, inputs: PropertyMap): Promise<string>;
  /** What is still to be written once the resource exists. */
  finish?(client: ServiceClient, inputs: PropertyMap): Promise<void>;
  /** The state, its `id` included; undefined when the resource is gone. `declared` is its last state or inputs. */
  read(client: ServiceClient, id: string, declared: PropertyMap): Promise<PropertyMap | undefined>;
  update(client: ServiceClient, id: string, olds: PropertyMap, news: PropertyMap): Promise<void>;
  delete(client: ServiceClient, id: string, state: PropertyMap): Promise<void>;
  /** Ids of what a create with these inputs may have made before the engine was killed. */
  findCreated(client: ServiceClient, inputs: PropertyMap): Promise<string[]>;
}

/** Reads and deletes a resource at a path of its own. */
export function keptAt(
  schema: Schema,
  pathOf: (id: string) => string,
  told = (data: JsonObject, _id: string) => toldValues(schema, data),
): Pick<ResourceType, 'schema' | 'read' | 'delete'> {
  return {
    schema,
    async read(client, id, declared) {
      const answer = await client.read(pathOf(id));
      if (answer === undefined) return undefined;
      return { ...stateFrom(schema, declared, told(answer.data, id)), id };
    },
    async delete(client, id) {
      await client.delete(pathOf(id));
    },
  };
}
