import { isDeepStrictEqual } from 'node:util';
import { endpointToken, roleAt, roleBody, roleFromWire, sortedJson, trimmed } from '@gatehouse/core/graph';
import { objectIn } from '@gatehouse/core/values';
import type { JsonObject, ServiceClient } from '@gatehouse/service-client';
import { holdsUnknown, type PropertyMap } from '../../property-value.ts';
import type { CheckFailure } from '../plugin.ts';
import type { VaultResourceType } from './resource-type.ts';
import { namespaceProperty, type Schema, text } from './schema.ts';
import { stateFrom } from './state.ts';

const unsupported = 'is not supported by the embedded vault plugin: use the official one';

const schema: Schema = {
  path: { type: 'string', required: true, replaces: true, normal: trimmed },
  dataJson: { type: 'string', required: true, normal: normalJson },
  disableDelete: { type: 'boolean', default: false, unread: true },
  disableRead: { type: 'boolean', default: false, unread: true },
  ignoreAbsentFields: { type: 'boolean', default: false, unread: true },
  writeFields: { type: 'list', unsupported },
  writeData: { type: 'map', outputOnly: true, unread: true },
  writeDataJson: { type: 'string', outputOnly: true, unread: true },
  namespace: namespaceProperty,
};

/** A write to any path (hashicorp/terraform-provider-vault `vault/resource_generic_endpoint.go`). */
export const endpoint: VaultResourceType = {
  token: endpointToken,
  schema,
  schemaVersion: 1,
  idOf: ({ path }) => (holdsUnknown(path) || typeof path !== 'string' ? undefined : trimmed(path)),

  check({ dataJson }): CheckFailure[] {
    if (typeof dataJson !== 'string' || objectIn(dataJson) !== undefined) return [];
    return [{ property: 'dataJson', reason: '"dataJson" must be a JSON object' }];
  },

  async create(client, inputs) {
    const path = trimmed(text(inputs, 'path'));
    return { id: path, ...(await writeEndpoint(client, path, inputs)) };
  },

  async read(client, id, declared) {
    if (declared['disableRead'] === true) return { ...stateFrom(schema, declared, declared), id };
    const answer = await client.read(id);
    if (answer === undefined) return undefined;
    const { data } = answer;
    const live = wholeRole(id, data);
    // An import of a role: the whole of it, as the program declares one.
    if (declared['dataJson'] === undefined && live !== undefined) {
      const known = { ...declared, ignoreAbsentFields: true };
      return { ...stateFrom(schema, known, { path: id, dataJson: live }), id };
    }
    const written = text(declared, 'dataJson');
    const body = objectIn(written) ?? {};
    // A role that was written by others may list its policies in another order.
    const isRole = declared['ignoreAbsentFields'] === true && isRoleBody(body);
    if (live !== undefined && isRole && wholeRole(id, body) === live) {
      return { ...stateFrom(schema, declared, { path: id, dataJson: written }), id };
    }
    const isKept = (name: string) => declared['ignoreAbsentFields'] !== true || Object.hasOwn(body, name);
    const kept = Object.fromEntries(Object.entries(data).filter(([name]) => isKept(name)));
    return { ...stateFrom(schema, declared, { path: id, dataJson: sortedJson(kept) }), id };
  },

  async update(client, id, _olds, news) {
    return await writeEndpoint(client, id, news);
  },

  async delete(client, id, state) {
    if (state['disableDelete'] !== true) await client.delete(id);
  },

  async findCreated(client, inputs) {
    const path = trimmed(text(inputs, 'path'));
    if (inputs['disableRead'] === true) return [];
    return (await client.read(path)) === undefined ? [] : [path];
  },
};

/** Writes an endpoint. Without `writeFields`, the state keeps only whether the service answered. */
async function writeEndpoint(client: ServiceClient, path: string, inputs: PropertyMap): Promise<PropertyMap> {
  const { data } = await client.put(path, objectIn(text(inputs, 'dataJson')) ?? {});
  return { writeData: {}, writeDataJson: Object.keys(data).length === 0 ? 'null' : '{}' };
}

/** The whole body of a role, the same text for the same role; undefined for another path. */
function wholeRole(path: string, wire: JsonObject): string | undefined {
  const { method, name } = roleAt(path) ?? {};
  if (method === undefined || name === undefined) return undefined;
  return sortedJson(roleBody(roleFromWire(method, name, wire)));
}

/** Whether a body has exactly the fields that a program writes of a role. */
function isRoleBody(wire: JsonObject): boolean {
  return isDeepStrictEqual(Object.keys(wire).sort(), Object.keys(roleBody({})).sort());
}

function normalJson(json: string, _resource: PropertyMap): string {
  const value = objectIn(json);
  return value === undefined ? json : sortedJson(value);
}
