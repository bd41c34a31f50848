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
export function writtenTune(old: PropertyValue | undefined, now: PropertyValue | undefined): JsonObject {
  // Like the official plugin, leave the tuning as it is if none was ever given.
  if (!isPropertyMap(now)) return {};
  const before = isPropertyMap(old) ? old : {};
  const body: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = now[name];
    if (!isEmpty(value)) body[toSnakeCase(name)] = value;
    else if (!isEmpty(before[name])) body[toSnakeCase(name)] = resets[name] ?? emptyOf(field);
  }
  return body;
}

/**
 * The state's `tune`. The service returns effective values, and the entry of the mount in `sys/auth` its own. If a tuning is declared, what it omits stays empty, and
 * durations keep their text while they mean the same (`vault/auth_mount_structure.go`, `mergeAuthMethodTune`; unlike
 * there, a changed duration is returned).
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
    if (Array.isArray(value) && value.every((one) => one === '')) delete read[name];
  if (!isPropertyMap(declared)) return read;
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
  return read;
}

/**
 * The explicit tuning of a mount, by its entry in `sys/auth`, where a default time is 0; undefined if there is none.
 */
export function ownTune(config: unknown): PropertyMap | undefined {
  if (!isObject(config)) return undefined;
  const own: PropertyMap = {};
  for (const name of ['defaultLeaseTtl', 'maxLeaseTtl']) {
    const seconds = Number(config[toSnakeCase(name)] ?? 0);
    if (seconds > 0) own[name] = formatGoDuration(seconds);
  }
  const { listing_visibility: visibility, token_type: tokenType } = config;
  if (visibility === 'unauth') own['listingVisibility'] = visibility;
  if (typeof tokenType === 'string' && tokenType !== 'default-service') own['tokenType'] = tokenType;
  return Object.keys(own).length === 0 ? undefined : own;
}
