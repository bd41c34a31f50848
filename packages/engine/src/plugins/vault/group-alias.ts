import { aliasFields } from '@gatehouse/core/graph';
import type { JsonObject } from '@gatehouse/service-client';
import type { PropertyMap } from '../../property-value.ts';
import { idOfCreated, keptAt, listed, type VaultResourceType } from './resource-type.ts';
import { defaultsKey, namespaceProperty, onWire, type Schema, schemaOf } from './schema.ts';

const schema: Schema = { ...schemaOf(aliasFields), namespace: namespaceProperty };

/**
 * The name of a group at an identity provider. All three properties can change in place
 * (hashicorp/terraform-provider-vault `vault/resource_identity_group_alias.go`).
 */
export const groupAlias: VaultResourceType = {
  token: 'vault:identity/groupAlias:GroupAlias',
  ...keptAt(schema, (id) => `identity/group-alias/id/${id}`, writtenAlias),

  async create(client, inputs) {
    return idOfCreated('a group alias', await client.post('identity/group-alias', writtenAlias(inputs)));
  },

  async findCreated(client, inputs) {
    const all = await listed(client, 'identity/group-alias/id');
    const { name, mountAccessor } = inputs;
    return all
      .filter(([, alias]) => alias['name'] === name && alias['mount_accessor'] === mountAccessor)
      .map(([id]) => id);
  },
};

function writtenAlias(alias: PropertyMap): JsonObject {
  const fields = Object.entries(alias).filter(([name]) => name !== 'namespace' && name !== defaultsKey);
  return Object.fromEntries(fields.map(([name, value]) => [onWire(name), value]));
}
