import type { ResourceType } from './resource-type.ts';
import type { Schema } from './schema.ts';
import { namespaceProperty, text } from './schema.ts';
import { stateFrom } from './state.ts';

const schema: Schema = {
  name: { type: 'string', autonamed: true, replaces: true },
  policy: { type: 'string', required: true },
  namespace: namespaceProperty,
};

const pathOf = (name: string) => `sys/policies/acl/${name}`;

/** A policy. Its text is kept as it was written; a create overwrites (`vault/resource_policy.go`). */
export const policy: ResourceType = {
  token: 'vault:index/policy:Policy',
  schema,

  async create(client, inputs) {
    const name = text(inputs, 'name');
    await client.put(pathOf(name), { policy: text(inputs, 'policy') });
    return name;
  },

  async read(client, id, declared) {
    const answer = await client.read(pathOf(id));
    if (answer === undefined) return undefined;
    return { ...stateFrom(schema, declared, { name: id, policy: String(answer.data['policy'] ?? '') }), id };
  },

  async update(client, id, _olds, news) {
    await client.put(pathOf(id), { policy: text(news, 'policy') });
  },

  async delete(client, id) {
    await client.delete(pathOf(id));
  },

  async findCreated(client, inputs) {
    const name = text(inputs, 'name');
    return (await client.read(pathOf(name))) === undefined ? [] : [name];
  },
};
