import { isJsonObject, type JsonObject } from '../../../client/service-client.ts';
import { aliasFields } from '../../../core/model/resources/external-group.ts';
import { GatehouseError } from '../../../core/model/values/errors.ts';
import type { PropertyMap } from '../../property-value.ts';
import type { ResourceType } from './resource-type.ts';
import { keptAt } from './resource-type.ts';
import type { Schema } from './schema.ts';
import { defaultsKey, namespaceProperty, onWire, schemaOf } from './schema.ts';

const schema: Schema = { ...schemaOf(aliasFields), namespace: namespaceProperty };
const pathOf = (id: string) => `identity/group-alias/id/${id}`;

/**
 * The name a group has at an identity provider. All three properties change in place
 * (hashicorp/terraform-provider-vault `vault/resource_identity_group_alias.go`).
 */
export const groupAlias: ResourceType = {
  token: 'vault:identity/groupAlias:GroupAlias',
  ...keptAt(schema, pathOf),

  async create(client, inputs) {
    const { data } = await client.post('identity/group-alias', written(inputs));
    if (typeof data['id'] === 'string') return data['id'];
    throw new GatehouseError({
      code: 'answer_invalid',
      what: 'The secrets service created a group alias but did not return its id.',
    });
  },

  async update(client, id, _olds, news) {
    await client.put(pathOf(id), written(news));
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
  const given = Object.entries(alias).filter(([name]) => name !== 'namespace' && name !== defaultsKey);
  return Object.fromEntries(given.map(([name, value]) => [onWire(name), value]));
}
