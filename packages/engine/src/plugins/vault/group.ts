import { groupFields } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { JsonObject } from '@gatehouse/service-client';
import type { PropertyMap } from '../../property-value.ts';
import { groupNames } from './group-names.ts';
import { keptAt, type VaultResourceType } from './resource-type.ts';
import { defaultsKey, isEmpty, namespaceProperty, type Schema, schemaOf, text } from './schema.ts';

const isExternal = (group: PropertyMap) => group['type'] === 'external';

const schema: Schema = {
  ...schemaOf(groupFields, {
    name: { required: false, autonamed: true },
    policies: { ignored: (group) => group['externalPolicies'] === true },
  }),
  type: { type: 'string', default: 'internal', oneOf: ['internal', 'external'], replaces: true },
  memberEntityIds: {
    type: 'set',
    // Logins change the members of an external group.
    ignored: (group) => isExternal(group) || group['externalMemberEntityIds'] === true,
  },
  memberGroupIds: {
    type: 'set',
    ignored: (group) => isExternal(group) || group['externalMemberGroupIds'] === true,
  },
  externalPolicies: { type: 'boolean', default: false, unread: true },
  externalMemberEntityIds: { type: 'boolean', default: false, unread: true },
  externalMemberGroupIds: { type: 'boolean', default: false, unread: true },
  namespace: namespaceProperty,
};

/** A group of the identity store (hashicorp/terraform-provider-vault `vault/resource_identity_group.go`). */
export const group: VaultResourceType = {
  token: 'vault:identity/group:Group',
  schemaVersion: 1,
  ...keptAt(schema, (id) => `identity/group/id/${id}`, writtenGroup),

  check(inputs) {
    if (!isExternal(inputs)) return [];
    return ['memberEntityIds', 'memberGroupIds']
      .filter((name) => !isEmpty(inputs[name]))
      .map((property) => ({
        property,
        reason: `"${property}" cannot be set on an external group: its members follow the groups claim at login`,
      }));
  },

  async create(client, inputs) {
    const name = text(inputs, 'name');
    // The service would treat a create with an existing name as an update.
    const taken = await groupNames(client).find(name);
    if (taken !== undefined) throw nameTaken(name, String(taken.data['id'] ?? ''));
    const { data } = await client.post('identity/group', {
      type: text(inputs, 'type'),
      ...writtenGroup(inputs),
    });
    // Without an id in the answer, another client has just created the group, and this was an update.
    if (typeof data['id'] !== 'string') throw nameTaken(name);
    return { id: data['id'] };
  },

  async findCreated(client, inputs) {
    const group = await client.read(`identity/group/name/${text(inputs, 'name')}`);
    return group?.data['type'] === inputs['type'] ? [String(group?.data['id'])] : [];
  },
};

/** Clears what is not given, except what is managed elsewhere. */
function writtenGroup(group: PropertyMap): JsonObject {
  const body: JsonObject = { name: text(group, 'name'), metadata: stripped(group['metadata']) };
  if (group['externalPolicies'] !== true) body['policies'] = group['policies'] ?? [];
  if (isExternal(group)) return body;
  if (group['externalMemberEntityIds'] !== true) body['member_entity_ids'] = group['memberEntityIds'] ?? [];
  if (group['externalMemberGroupIds'] !== true) body['member_group_ids'] = group['memberGroupIds'] ?? [];
  return body;
}

function stripped(metadata: unknown): JsonObject {
  const { [defaultsKey]: _, ...rest } = (metadata ?? {}) as JsonObject;
  return rest;
}

function nameTaken(name: string, id?: string): GatehouseError {
  if (!id) return new GatehouseError('group_exists', { values: { name } });
  return new GatehouseError('group_exists.id', { values: { name, id } });
}
