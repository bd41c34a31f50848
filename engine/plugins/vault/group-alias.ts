import { isJsonObject, type JsonObject } from '../../../client/service-client.ts';
import { GatehouseError } from '../../../core/model/values/errors.ts';
import type { PropertyMap } from '../../property-value.ts';
import type { ResourceType } from './resource-type.ts';
import type { Schema } from './schema.ts';
import { namespaceProperty, text, toldValues } from './schema.ts';
import { stateFrom } from './state.ts';

const schema: Schema = {
  name: { type: 'string', required: true },
  mountAccessor: { type: 'string', required: true },
  canonicalId: { type: 'string', required: true },
  namespace: namespaceProperty,
};

const told = ['name', 'mountAccessor', 'canonicalId'];
const pathOf = (id: string) => `identity/group-alias/id/${id}`;

/**
 * The name a group has at an identity provider. All three properties change in place
 * (hashicorp/terraform-provider-vault `vault/resource_identity_group_alias.go`).
 */
export const groupAlias: ResourceType = {
  token: 'vault:identity/groupAlias:GroupAlias',
  schema,

  async create(client, inputs) {
    const { data } = await client.post('identity/group-alias', written(inputs));
    if (typeof data['id'] === 'string') return data['id'];
    throw new GatehouseError({
      code: 'answer_invalid',
      what: 'The secrets service made a group alias without telling its id.',
    });
  },

  async read(client, id, declared) {
    const answer = await client.read(pathOf(id));
    if (answer === undefined) return undefined;
    return { ...stateFrom(schema, declared, toldValues(schema, told, answer.data)), id };
  },

  async update(client, id, _olds, news) {
    await client.put(pathOf(id), written(news));
  },

  async delete(client, id) {
    await client.delete(pathOf(id));
  },

  async findCreated(client, inputs) {
    const list = await client.list('identity/group-alias/id');
    const all = isJsonObject(list?.data['key_info']) ? list.data['key_info'] : {};
    return Object.entries(all)
      .filter(
        ([, alias]) =>
          isJsonObject(alias) &&
          alias['name'] === inputs['name'] &&
          alias['mount_accessor'] === inputs['mountAccessor'],
      )
      .map(([id]) => id);
  },
};

function written(alias: PropertyMap): JsonObject {
  return {
    name: text(alias, 'name'),
    mount_accessor: text(alias, 'mountAccessor'),
    canonical_id: text(alias, 'canonicalId'),
  };
}
