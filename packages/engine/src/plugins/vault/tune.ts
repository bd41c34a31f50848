import { tuneFields } from '@gatehouse/core/graph';
import { isObject, toSnakeCase } from '@gatehouse/core/values';
import type { JsonObject } from '@gatehouse/service-client';
import { formatGoDuration, parseGoDuration } from '../../go-duration.ts';
import { isPropertyMap, type PropertyMap, type PropertyValue } from '../../property-value.ts';
import { emptyOf, isEmpty, type Property, type Schema, schemaOf, toldValues } from './schema.ts';

const duration: Property = {
  type: 'string',
  normal: (value) => String(parseGoDuration(value) ?? value),
  refuse: (value) =>
    value === '' || parseGoDuration(value) !== undefined
      ? undefined
      : 'must be a duration, for example 90m or 1h30m',
};

const fields: Schema = {
  ...schemaOf(tuneFields, {
    defaultLeaseTtl: duration,
    maxLeaseTtl: duration,
    listingVisibility: { oneOf: [...tuneFields.listingVisibility.schema.options, ''] },
    tokenType: { oneOf: [...tuneFields.tokenType.schema.options, ''] },
  }),
  auditNonHmacRequestKeys: { type: 'list' },
  auditNonHmacResponseKeys: { type: 'list' },
  passthroughRequestHeaders: { type: 'list' },
  allowedResponseHeaders: { type: 'list' },
};

/** How a mount is tuned (hashicorp/terraform-provider-vault `vault/auth_mount.go`). */
export const tuneProperty: Property = { type: 'object', computed: true, fields };

/** The values that reset settings; an empty list resets a list. */
const resets: Record<string, string> = {
  defaultLeaseTtl: '0s',
  maxLeaseTtl: '0s',
  tokenType: 'default-service',
};

/** The body that changes one tuning into the other; empty if there is nothing to write. */
export function writtenTune(before: PropertyValue | undefined, after: PropertyValue | undefined): JsonObject {
  // Like the official plugin, leave the tuning as it is if none was ever given.
  if (!isPropertyMap(after)) return {};
  const tuneBefore = isPropertyMap(before) ? before : {};
  const body: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = after[name];
    if (!isEmpty(value)) body[toSnakeCase(name)] = value;
    else if (!isEmpty(tuneBefore[name])) body[toSnakeCase(name)] = resets[name] ?? emptyOf(field);
  }
  return body;
}

/**
 * The state's `tune`. The service returns effective values, and the entry of the mount in `sys/auth` its own. If a tuning
 * is declared, what it omits stays empty, and durations keep their text while they mean the same
 * (`vault/auth_mount_structure.go`, `mergeAuthMethodTune`; unlike there, a changed duration is returned).
 */
export function toldTune(
  declared: PropertyValue | undefined,
  data: JsonObject,
  mount: Record<string, unknown> = {},
): PropertyMap {
  const read = toldValues(fields, data);
  for (const name of ['defaultLeaseTtl', 'maxLeaseTtl'])
    read[name] = formatGoDuration(Number(read[name] ?? 0));
  read['listingVisibility'] ??= '';
  // The official plugin writes an empty name into each list that is not set.
  for (const [name, value] of Object.entries(read))
    if (Array.isArray(value) && value.every((text) => text === '')) delete read[name];
  if (!isPropertyMap(declared)) return read;
  // A list that is not declared is somebody else's: to take it into the state would have the next update empty it.
  for (const [name, { type }] of Object.entries(fields))
    if (type === 'list' && isEmpty(declared[name])) delete read[name];
  for (const name of ['defaultLeaseTtl', 'maxLeaseTtl']) {
    const text = declared[name];
    const seconds = typeof text === 'string' ? parseGoDuration(text) : undefined;
    // Zero means the service's default, which it returns: the mount itself tells whether it has a time of its own.
    const own = Number(mount[toSnakeCase(name)] ?? 0);
    const same = seconds === 0 ? own === 0 : seconds === parseGoDuration(String(read[name]));
    if (isEmpty(text)) read[name] = '';
    else if (same) read[name] = text ?? '';
  }
  for (const name of ['listingVisibility', 'tokenType']) if (isEmpty(declared[name])) read[name] = '';
  // A mount that was never tuned says nothing, which means hidden.
  if (declared['listingVisibility'] === 'hidden' && read['listingVisibility'] === '')
    read['listingVisibility'] = 'hidden';
  return read;
}

/** The whole tuning of a mount, as a program writes it, by its entry in `sys/auth`, where a default time is 0. */
export function ownTune(config: unknown): PropertyMap {
  const {
    default_lease_ttl: defaultTtl,
    max_lease_ttl: maxTtl,
    listing_visibility: visibility,
    token_type: tokenType,
  } = isObject(config) ? config : {};
  return {
    defaultLeaseTtl: formatGoDuration(Number(defaultTtl ?? 0)),
    maxLeaseTtl: formatGoDuration(Number(maxTtl ?? 0)),
    listingVisibility: visibility === 'unauth' ? visibility : 'hidden',
    tokenType: typeof tokenType === 'string' && tokenType !== '' ? tokenType : 'default-service',
  };
}
