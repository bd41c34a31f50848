import { createHash, randomBytes } from 'node:crypto';
import { isPropertyMap, type PropertyMap, type PropertyValue, Unknown } from '../../property-value.ts';
import { parseUrn } from '../../urn.ts';
import type { CheckFailure, CheckRequest, CheckResponse } from '../plugin.ts';
import { defaultsKey, entries, type Property, type Schema } from './schema.ts';

/**
 * Checks a resource's inputs against its schema and fills in defaults and autonames, like the bridge
 * (pulumi/pulumi-terraform-bridge `pkg/tfbridge/schema.go`). Unlike the bridge, it refuses a value of another type
 * instead of converting it. Reasons never contain values, which may be secret.
 */
export function checkInputs(schema: Schema, request: CheckRequest): CheckResponse {
  const failures: CheckFailure[] = [];
  const inputs = checkObject(schema, request.news, '', parseUrn(request.urn).type, failures);
  const defaults: string[] = [];
  for (const [name, property] of Object.entries(schema)) {
    if (inputs[name] !== undefined) continue;
    const value = property.autonamed ? autoname(name, request) : property.default;
    if (value === undefined) continue;
    inputs[name] = value;
    defaults.push(name);
  }
  inputs[defaultsKey] = defaults.sort();
  checkRequired(schema, inputs, '', failures);
  return { inputs, failures };
}

function checkRequired(schema: Schema, inputs: PropertyMap, prefix: string, failures: CheckFailure[]): void {
  for (const [name, { required }] of Object.entries(schema)) {
    if (!required || inputs[name] !== undefined) continue;
    const property = `${prefix}${name}`;
    failures.push({ property, reason: `"${property}" is missing and has no default` });
  }
}

function checkObject(
  schema: Schema,
  given: PropertyMap,
  prefix: string,
  owner: string,
  failures: CheckFailure[],
): PropertyMap {
  const checked: PropertyMap = {};
  for (const [name, value] of entries(given)) {
    if (value === null) continue;
    const path = `${prefix}${name}`;
    const property = Object.hasOwn(schema, name) ? schema[name] : undefined;
    const refused = property === undefined || property.outputOnly || property.unsupported !== undefined;
    if (refused) failures.push({ property: path, reason: whyRefused(path, owner, property) });
    else checked[name] = checkValue(property, value, path, owner, failures);
  }
  return checked;
}

function whyRefused(path: string, owner: string, property: Property | undefined): string {
  if (property?.unsupported !== undefined) {
    return `"${path}" is not supported by this plugin: ${property.unsupported}`;
  }
  if (property?.outputOnly) return `"${path}" is given by the service and cannot be set`;
  return `"${path}" is not a property of ${owner}`;
}

function checkValue(
  property: Property,
  value: PropertyValue,
  path: string,
  owner: string,
  failures: CheckFailure[],
): PropertyValue {
  if (value instanceof Unknown) return value;
  const { type } = property;
  if (type === 'object' && isPropertyMap(value)) {
    const { fields = {} } = property;
    const checked = checkObject(fields, value, `${path}.`, owner, failures);
    checkRequired(fields, checked, `${path}.`, failures);
    return { ...checked, [defaultsKey]: [] };
  }
  if (type === 'maps' && Array.isArray(value)) {
    value.forEach((map, index) => {
      checkStrings(property, { type: 'map', value: map, path: `${path}[${index}]` }, failures);
    });
    return value;
  }
  checkStrings(property, { type, value, path }, failures);
  return type === 'map' && isPropertyMap(value) ? Object.fromEntries(entries(value)) : value;
}

interface Given {
  type: Property['type'];
  value: PropertyValue;
  path: string;
}

/** Checks a plain value, list or map. */
function checkStrings(property: Property, { type, value, path }: Given, failures: CheckFailure[]): void {
  if (value instanceof Unknown) return;
  if ((type === 'list' || type === 'set') && Array.isArray(value)) {
    value.forEach((element, index) => {
      checkStrings(property, { type: 'string', value: element, path: `${path}[${index}]` }, failures);
    });
  } else if (type === 'map' && isPropertyMap(value)) {
    for (const [key, element] of entries(value)) {
      checkStrings(property, { type: 'string', value: element, path: joinPath(path, key) }, failures);
    }
  } else if (!typeFits(type, value)) {
    const generic = `must be ${typeNames[type]}, not ${describe(value)}`;
    const reason = type === 'string' ? (property.mistyped?.(value) ?? generic) : generic;
    failures.push({ property: path, reason: `"${path}" ${reason}` });
  } else if (typeof value === 'string') {
    if (property.oneOf !== undefined && !property.oneOf.includes(value)) {
      failures.push({ property: path, reason: `"${path}" must be one of ${property.oneOf.join(', ')}` });
    }
    const reason = property.refuse?.(value);
    if (reason !== undefined) failures.push({ property: path, reason: `"${path}" ${reason}` });
  }
}

const typeNames: Record<Property['type'], string> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number',
  list: 'a list of strings',
  set: 'a list of strings',
  map: 'a map of strings',
  maps: 'a list of maps of strings',
  object: 'an object',
};

function typeFits(type: Property['type'], value: PropertyValue): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  return typeof value === type && type !== 'object';
}

function describe(value: PropertyValue): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Joins a key to a property path in Pulumi's syntax: `boundClaims.group`, `boundClaims["a.b"]`. */
export function joinPath(path: string, key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

/** The last deployment's autoname, if any; otherwise `<resource name>-<7 hex digits>`. */
function autoname(name: string, { urn, olds, randomSeed }: CheckRequest): PropertyValue {
  const old = olds[name];
  const oldDefaults = olds[defaultsKey];
  if (old !== undefined && (!Array.isArray(oldDefaults) || oldDefaults.includes(name))) return old;
  const seed = randomSeed ?? randomBytes(32);
  const suffix = createHash('sha256').update(seed).update(urn).digest('hex').slice(0, 7);
  return `${parseUrn(urn).name}-${suffix}`;
}
