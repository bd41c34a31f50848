import { policyFields } from '../../../core/model/resources/policy.ts';
import type { PropertyMap } from '../../property-value.ts';
import { keptAt, type ResourceType } from './resource-type.ts';
import { namespaceProperty, type Schema, schemaOf, text } from './schema.ts';

const schema: Schema = {
  ...schemaOf(policyFields, { name: { required: false, autonamed: true, replaces: true } }),
  namespace: namespaceProperty,
};

const pathOf = (name: string) => `sys/policies/acl/${name}`;
const written = (policy: PropertyMap) => ({ policy: text(policy, 'policy') });

/** A policy. A create overwrites an existing one (`vault/resource_policy.go`). */
export const policy: ResourceType = {
  token: 'vault:index/policy:Policy',
  ...keptAt(schema, pathOf, written, (data, id) => ({ name: id, policy: String(data['policy'] ?? '') })),

  async create(client, inputs) {
    const name = text(inputs, 'name');
    await client.put(pathOf(name), written(inputs));
    return name;
  },

  async findCreated(client, inputs) {
    const name = text(inputs, 'name');
    return (await client.read(pathOf(name))) === undefined ? [] : [name];
  },
};
