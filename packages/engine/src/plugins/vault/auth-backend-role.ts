import { roleAt, roleFields, rolePath, trimmed } from '@gatehouse/core/graph';
import { GatehouseError } from '@gatehouse/core/values';
import type { JsonObject } from '@gatehouse/service-client';
import { holdsUnknown, isPropertyMap, type PropertyMap, type PropertyValue } from '../../property-value.ts';
import type { VaultResourceType } from './resource-type.ts';
import {
  emptyOf,
  entries,
  isEmpty,
  namespaceProperty,
  onWire,
  type Property,
  type Schema,
  schemaOf,
  text,
  toldValues,
} from './schema.ts';
import { stateFrom } from './state.ts';

/** The service returns a host's address without its prefix length. */
const trimHostPrefix = (cidr: string) =>
  cidr.replace(/^([\d.]+)\/32$|^([\da-fA-F:.]*:[\da-fA-F:.]*)\/128$/, '$1$2');
const splitClaim = (value: string, parsed: boolean) =>
  parsed ? value.split(',').map((part) => part.trim()) : [value.trim()];
const isParsed = (role: PropertyMap) => role['disableBoundClaimsParsing'] !== true;

/** Properties that are in the path, not the body. */
const place: Schema = {
  backend: { type: 'string', default: 'jwt', replaces: true, normal: trimmed },
  roleName: { type: 'string', required: true, replaces: true },
  namespace: namespaceProperty,
};

const fields: Schema = {
  aliasMetadata: { type: 'map' },
  ...schemaOf(
    roleFields,
    {
      roleType: { computed: true, replaces: true },
      userClaim: { required: true },
      boundClaims: {
        normal: (value, role) => splitClaim(value, isParsed(role)).join(','),
        mistyped: (value) =>
          Array.isArray(value)
            ? 'takes its values as one string, separated by commas'
            : `is a ${typeof value}: it would be written as text, which a ${typeof value} in a token never equals, ` +
              'so that no one could sign in. Use vault.generic.Endpoint for such a claim',
      },
      boundClaimsType: { computed: true },
      tokenBoundCidrs: { normal: trimHostPrefix },
      tokenType: { oneOf: ['default', 'service', 'batch', 'default-service', 'default-batch'] },
    },
    [
      'userClaimJsonPointer',
      'clockSkewLeeway',
      'expirationLeeway',
      'notBeforeLeeway',
      'verboseOidcLogging',
      'tokenType',
    ],
  ),
};

const schema: Schema = {
  ...place,
  ...fields,
  disableBoundClaimsParsing: { type: 'boolean', default: false, unread: true },
};

/** A role of a JWT or OIDC auth method (hashicorp/terraform-provider-vault `vault/resource_jwt_auth_backend_role.go`). */
export const authBackendRole: VaultResourceType = {
  token: 'vault:jwt/authBackendRole:AuthBackendRole',
  schema,
  idOf: (role) => (holdsUnknown(role['backend']) || holdsUnknown(role['roleName']) ? undefined : idOf(role)),

  async create(client, inputs) {
    const id = idOf(inputs);
    await client.put(id, writtenRole(inputs, {}));
    return { id };
  },

  async read(client, id, declared) {
    const { method: backend, name: roleName } = roleAt(id) ?? {};
    if (backend === undefined || roleName === undefined) {
      throw new GatehouseError('role_id_invalid', { given: id, allowed: 'auth/<method>/role/<name>' });
    }
    const answer = await client.read(id);
    if (answer === undefined) return undefined;
    const read = toldValues(fields, answer.data);
    if (isPropertyMap(read['boundClaims'])) read['boundClaims'] = toldClaims(read['boundClaims'], id);
    // The state has the trimmed path.
    return { ...stateFrom(schema, declared, { ...read, roleName }), backend, id };
  },

  async update(client, id, olds, news) {
    await client.put(id, writtenRole(news, olds));
  },

  async delete(client, id) {
    await client.delete(id);
  },

  async findCreated(client, inputs) {
    const id = idOf(inputs);
    return (await client.read(id)) === undefined ? [] : [id];
  },
};

function idOf(role: PropertyMap): string {
  return rolePath(trimmed(text(role, 'backend')), trimmed(text(role, 'roleName')));
}

/**
 * The body of a write: the given values, and an empty value for what was removed, as the service keeps what a write omits.
 * Some fields are never emptied (`jwtAuthBackendRoleDataToWrite`).
 */
function writtenRole(news: PropertyMap, olds: PropertyMap): JsonObject {
  const body: JsonObject = {};
  for (const [name, property] of Object.entries(fields)) {
    const value = news[name] ?? (property.computed ? olds[name] : cleared(property, olds[name]));
    if (value === undefined || (property.cleared === false && isEmpty(value))) continue;
    body[onWire(name)] = name === 'boundClaims' ? writtenClaims(value, isParsed(news)) : value;
  }
  return body;
}

function cleared(property: Property, before: PropertyValue | undefined): PropertyValue | undefined {
  return isEmpty(before) ? undefined : emptyOf(property);
}

function writtenClaims(claims: PropertyValue, parsed: boolean): JsonObject {
  if (!isPropertyMap(claims)) return {};
  return Object.fromEntries(
    entries(claims).map(([claim, value]) => [claim, splitClaim(String(value), parsed)]),
  );
}

function toldClaims(claims: PropertyMap, id: string): PropertyMap {
  return Object.fromEntries(
    Object.entries(claims).map(([claim, value]) => {
      const values = Array.isArray(value) ? value : [value];
      if (values.every((element) => typeof element === 'string')) return [claim, values.join(',')];
      throw new GatehouseError('bound_claim_not_text', { values: { claim, id } });
    }),
  );
}
