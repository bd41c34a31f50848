import { policyFields } from '../../../core/model/resources/policy.ts';
import { keptAt, type ResourceType } from './resource-type.ts';
import { namespaceProperty, type Schema, schemaOf, text } from './schema.ts';

const schema: Schema = {
  ...schemaOf(policyFields, { name: { required: false, autonamed: true, replaces: true } }),
  namespace: namespaceProperty,
};

const pathOf = (name: string) => `sys/policies/acl/${name}`;

/** A policy. A create overwrites an existing one (`vault/resource_policy.go`). */
export const policy: ResourceType = {
  token: 'vault:index/policy:Policy',
  ...keptAt(schema, pathOf, (data, id) => ({ name: id, policy: String(data['policy'] ?? '') })),

  async create(client, inputs) {
    const name = text(inputs, 'name');
    await client.put(pathOf(name), { policy: text(inputs, 'policy') });
    return name;
  },

  async update(client, id, _olds, news) {
    await client.put(pathOf(id), { policy: text(news, 'policy') });
  },

  async findCreated(client, inputs) {
    const name = text(inputs, 'name');
    return (await client.read(pathOf(name))) === undefined ? [] : [name];
  },
};
