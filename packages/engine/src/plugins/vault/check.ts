import { createHash, randomBytes } from 'node:crypto';
import { isPropertyMap, type PropertyMap, type PropertyValue, Unknown } from '../../property-value.ts';
import { parseUrn } from '../../urn.ts';
import type { CheckFailure, CheckRequest, CheckResponse } from '../plugin.ts';
import { defaultsKey, entries, type Property, type Schema } from './schema.ts';

/** Collects the properties of a resource that are refused. */
interface InputCheck {
  /** The type of the resource. */
  owner: string;
  refuse(path: string, reason: string): void;
}

/**
 * Checks a resource's inputs against its schema and fills in defaults and autonames, like the bridge
 * (pulumi/pulumi-terraform-bridge `pkg/tfbridge/schema.go`). Unlike the bridge, it refuses a value of another type
 * instead of converting it. Reasons never contain values, which may be secret.
 */
export function checkInputs(schema: Schema, request: CheckRequest): CheckResponse {
  const failures: CheckFailure[] = [];
  const check: InputCheck = {
    owner: parseUrn(request.urn).type,
    refuse: (property, reason) => failures.push({ property, reason: `"${property}" ${reason}` }),
  };
  const inputs = checkObject(check, schema, request.news, '');
  const defaults: string[] = [];
  for (const [name, property] of Object.entries(schema)) {
    if (inputs[name] !== undefined) continue;
    const value = property.autonamed ? autoname(name, request) : property.default;
    if (value === undefined) continue;
    inputs[name] = value;
    defaults.push(name);
  }
  inputs[defaultsKey] = defaults.sort();
  checkRequired(check, schema, inputs, '');
  return { inputs, failures };
}

function checkRequired({ refuse }: InputCheck, schema: Schema, inputs: PropertyMap, prefix: string): void {
  for (const [name, { required }] of Object.entries(schema)) {
    if (required && inputs[name] === undefined) refuse(prefix + name, 'is missing and has no default');
  }
}

function checkObject(
  check: InputCheck,
  schema: Schema,
  properties: PropertyMap,
  prefix: string,
): PropertyMap {
  const checked: PropertyMap = {};
  for (const [name, value] of entries(properties)) {
    if (value === null) continue;
    const path = prefix + name;
    const property = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (property === undefined) check.refuse(path, `is not a property of ${check.owner}`);
    else if (property.unsupported !== undefined) {
      check.refuse(path, `is not supported by this plugin: ${property.unsupported}`);
    } else if (property.outputOnly) check.refuse(path, 'is given by the service and cannot be set');
    else checked[name] = checkValue(check, property, value, path);
  }
  return checked;
}

/** What the elements of a collection are. */
const elementTypes: Partial<Record<Property['type'], Property['type']>> = {
  list: 'string',
  set: 'string',
  map: 'string',
  maps: 'map',
};

function checkValue(
  check: InputCheck,
  property: Property,
  value: PropertyValue,
  path: string,
  type = property.type,
): PropertyValue {
  if (value instanceof Unknown) return value;
  if (type === 'object' && isPropertyMap(value)) {
    const { fields = {} } = property;
    const checked = checkObject(check, fields, value, `${path}.`);
    checkRequired(check, fields, checked, `${path}.`);
    return { ...checked, [defaultsKey]: [] };
  }
  const parts = partsOf(path, value, type);
  if (parts !== undefined) {
    for (const [at, part] of parts) checkValue(check, property, part, at, elementTypes[type]);
    return isPropertyMap(value) ? Object.fromEntries(entries(value)) : value;
  }
  if (!typeFits(type, value)) {
    const generic = `must be ${typeNames[type]}, not ${describe(value)}`;
    check.refuse(path, type === 'string' ? (property.mistyped?.(value) ?? generic) : generic);
  } else if (typeof value === 'string') {
    const { oneOf, refuse } = property;
    if (oneOf !== undefined && !oneOf.includes(value)) {
      check.refuse(path, `must be one of ${oneOf.join(', ')}`);
    }
    const reason = refuse?.(value);
    if (reason !== undefined) check.refuse(path, reason);
  }
  return value;
}

/** The elements of a collection, by their paths; undefined for what is none of this type. */
export function partsOf(
  path: string,
  value: PropertyValue | undefined,
  type: Property['type'],
): [string, PropertyValue][] | undefined {
  if (type === 'map') {
    return isPropertyMap(value)
      ? entries(value).map(([key, part]) => [joinPath(path, key), part])
      : undefined;
  }
  const isList = type === 'list' || type === 'set' || type === 'maps';
  return isList && Array.isArray(value) ? value.map((part, at) => [`${path}[${at}]`, part]) : undefined;
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
function joinPath(path: string, key: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

/** The last deployment's autoname, if any; otherwise `<resource name>-<7 hex digits>`. */
function autoname(name: string, { urn, olds, randomSeed }: CheckRequest): PropertyValue {
  const before = olds[name];
  const oldDefaults = olds[defaultsKey];
  if (before !== undefined && (!Array.isArray(oldDefaults) || oldDefaults.includes(name))) return before;
  const seed = randomSeed ?? randomBytes(32);
  const suffix = createHash('sha256').update(seed).update(urn).digest('hex').slice(0, 7);
  return `${parseUrn(urn).name}-${suffix}`;
}
