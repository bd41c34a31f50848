import type { JsonObject } from '../../../client/service-client.ts';
import { Dialect, names } from '../../../core/model/values/wire.ts';
import type { PropertyMap } from '../../property-value.ts';
import type { CheckFailure } from '../plugin.ts';
import { entries } from './schema.ts';

const booleans = new Set(['fetch_groups', 'fetch_user_info']);
const integers = new Set(['groups_recurse_max_depth']);
/** Go's `strconv.ParseBool`. */
const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falsehoods = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);
/** What the service never tells again. */
const secretKeys = new Set(Object.values(Dialect).map((dialect) => names[dialect].suiteServiceAccount));

/** `providerConfig` holds strings only; those that stand for something else must say it. */
export function providerConfigFailures(config: PropertyMap): CheckFailure[] {
  return entries(config).flatMap(([key, value]) => {
    if (typeof value !== 'string') return [];
    const property = `providerConfig.${key}`;
    if (booleans.has(key) && !truths.has(value) && !falsehoods.has(value)) {
      return [{ property, reason: `"${property}" must be "true" or "false"` }];
    }
    if (integers.has(key) && !/^-?\d+$/.test(value)) {
      return [{ property, reason: `"${property}" must be a whole number, in quotes` }];
    }
    return [];
  });
}

/** As the service takes it: booleans and numbers by their own types. */
export function writtenProviderConfig(config: PropertyMap): JsonObject {
  return Object.fromEntries(
    entries(config).map(([key, value]) => {
      if (typeof value !== 'string') return [key, value];
      if (booleans.has(key)) return [key, truths.has(value)];
      return [key, integers.has(key) ? Number(value) : value];
    }),
  );
}

/**
 * As the state holds it: all strings. Release 7.8.0 of the official plugin keeps the service's types and finds a
 * difference for ever; later sources turn them into text as well (`normalizeProviderConfigFromVault`). The
 * service account is not told and stays as declared.
 */
export function toldProviderConfig(declared: PropertyMap, data: JsonObject): PropertyMap {
  const kept = entries(declared).filter(([key]) => secretKeys.has(key) && !(key in data));
  const told = Object.entries(data).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries([...told, ...kept]);
}
