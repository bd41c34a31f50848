import {
  canonicalInstant,
  type Fields,
  type FieldType,
  parseInstant,
  wireNameIn,
} from '@gatehouse/core/graph';
import { toCamelCase, toSnakeCase } from '@gatehouse/core/values';
import type { JsonObject } from '@gatehouse/service-client';
import { z } from 'zod';
import { isPropertyMap, type PropertyMap, type PropertyValue } from '../../property-value.ts';

/** A property of a resource. Names are the bridged ones (`boundAudiences`). */
export interface Property {
  /** `map`: of strings; `maps`: a list of such; `set`: an array without order. */
  type: 'string' | 'boolean' | 'integer' | 'list' | 'set' | 'map' | 'maps' | 'object';
  required?: boolean;
  /** Written into inputs that lack it, and listed in their `__defaults`. */
  default?: string | number | boolean;
  /** Defaults to the resource's name with a random suffix. */
  autonamed?: boolean;
  /** If the program gives no value, the service's is not a difference. */
  computed?: boolean;
  /** Set by the service only. */
  outputOnly?: boolean;
  /** False: an update leaves it on the service when it is emptied. Defaults to true. */
  cleared?: false;
  /** The service does not return it; the state keeps the last written value. */
  unread?: boolean;
  /** Whether a change requires a replacement. */
  replaces?: boolean | ((olds: PropertyMap, news: PropertyMap) => boolean);
  oneOf?: readonly string[];
  /** Why a string is refused; undefined if it is valid. */
  refuse?: (value: string) => string | undefined;
  /** Why a value of another type is refused, if there is more to say than the type. */
  mistyped?: (value: PropertyValue) => string;
  /** Why the plugin does not support the property. */
  unsupported?: string;
  /** The properties of an `object`. */
  fields?: Schema;
  /** The canonical form of a value, or of an element of a collection. */
  normal?: (value: string, resource: PropertyMap) => string;
  /** Whether differences are ignored. */
  ignored?: (resource: PropertyMap) => boolean;
}

export type Schema = Readonly<Record<string, Property>>;

/**
 * The key for the list of properties that were filled in by default. The bridge writes it into every object of the
 * inputs (pulumi/pulumi-terraform-bridge `pkg/tfbridge/schema.go`, `applyDefaults`).
 */
export const defaultsKey = '__defaults';

/** A map's entries without `__defaults`. */
export function entries(value: PropertyMap): [string, PropertyValue][] {
  return Object.entries(value).filter(([name]) => name !== defaultsKey);
}

/** Whether a Terraform schema takes it for absent: null, "", 0, false, [], {}. */
export function isEmpty(value: PropertyValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isPropertyMap(value) && entries(value).length === 0;
}

/** The value that clears a property on the service. */
export function emptyOf({ type }: Property): PropertyValue {
  if (type === 'string') return '';
  if (type === 'integer') return 0;
  if (type === 'boolean') return false;
  return type === 'map' || type === 'object' ? {} : [];
}

/** Whether two values of a property mean the same to the service. */
export function sameValue(
  property: Property,
  a: PropertyValue | undefined,
  b: PropertyValue | undefined,
  resource: PropertyMap,
): boolean {
  if (isEmpty(a) && isEmpty(b)) return true;
  return canonicalText(property, a, resource) === canonicalText(property, b, resource);
}

/** Equal texts for equal values. */
export function canonicalText(
  property: Property,
  value: PropertyValue | undefined,
  resource: PropertyMap,
): string {
  return JSON.stringify(canonical(property, value, resource)) ?? 'null';
}

function canonical(
  property: Property,
  value: PropertyValue | undefined,
  resource: PropertyMap,
): PropertyValue {
  const normal = (element: PropertyValue) =>
    typeof element === 'string' ? (property.normal?.(element, resource) ?? element) : element;
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) {
    const elements = value.map((element) =>
      isPropertyMap(element) ? sorted(element, normal) : normal(element),
    );
    return property.type === 'set' ? [...new Set(elements)].sort() : elements;
  }
  if (!isPropertyMap(value)) return normal(value);
  if (property.fields === undefined) return sorted(value, normal);
  const fields = Object.entries(property.fields).filter(([name]) => !isEmpty(value[name]));
  return fields.map(([name, field]) => [name, canonical(field, value[name], resource)]);
}

function sorted(value: PropertyMap, normal: (element: PropertyValue) => PropertyValue): PropertyValue {
  return entries(value)
    .map(([name, element]): PropertyValue => [name, normal(element)])
    .sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

/** Every resource's namespace, relative to the plugin's. */
export const namespaceProperty: Property = {
  type: 'string',
  replaces: true,
  unread: true,
  refuse: (value) => (/^\/|\/$/.test(value) ? 'must not begin or end with a slash' : undefined),
};

const types: Record<FieldType, Property['type']> = {
  text: 'string',
  instant: 'string',
  flag: 'boolean',
  integer: 'integer',
  seconds: 'integer',
  texts: 'list',
  textsByName: 'map',
  claims: 'map',
  providerConfig: 'map',
  keySets: 'maps',
};

/**
 * The properties of a resource from its table of fields. Bridged names are the wire names in camelCase.
 *
 * @param own what the official plugin adds to or changes in properties, by their bridged names
 * @param defaults the properties whose default the plugin fills in
 */
export function schemaOf(
  table: Fields,
  own: Record<string, Partial<Property>> = {},
  defaults: readonly string[] = [],
): Schema {
  const declared = Object.entries(table).filter(([, { liveOnly }]) => !liveOnly);
  return Object.fromEntries(
    declared.map(([field, { type, isSet, required, secret, schema, cleared, ...rest }]) => {
      const name = toCamelCase(wireNameIn(table, field));
      const oneOf = schema instanceof z.ZodEnum ? schema.options.map(String) : undefined;
      const property: Property = {
        type: isSet ? 'set' : types[type],
        required,
        unread: secret,
        oneOf,
        cleared,
      };
      if (type === 'instant') Object.assign(property, required ? instant : optionalInstant);
      if (defaults.includes(name)) property.default = rest.default as Property['default'];
      return [name, { ...property, ...own[name] }];
    }),
  );
}

const instant: Partial<Property> = {
  normal: canonicalInstant,
  refuse: (value) =>
    parseInstant(value) === undefined
      ? 'must be an RFC 3339 time, for example 2026-12-01T00:00:00Z'
      : undefined,
};

const optionalInstant: Partial<Property> = {
  ...instant,
  refuse: (value) => (value === '' ? undefined : instant.refuse?.(value)),
};

/** A property that was checked to be a string; "" if it is absent. */
export function text(properties: PropertyMap, name: string): string {
  const value = properties[name];
  return typeof value === 'string' ? value : '';
}

const wireNames = new Map<string, string>();

/** A property's name on the wire. Cached, because all thirty of each role are written and read. */
export function onWire(property: string): string {
  const name = wireNames.get(property) ?? toSnakeCase(property);
  wireNames.set(property, name);
  return name;
}

/** The properties of a schema in an answer's data, by their bridged names. */
export function toldValues(schema: Schema, data: JsonObject): PropertyMap {
  const values: PropertyMap = {};
  for (const [name, { type }] of Object.entries(schema)) {
    const value = data[onWire(name)];
    if (value === undefined) continue;
    // In Go's JSON, an empty list or map may be null.
    const isCollection = type === 'list' || type === 'set' || type === 'map';
    if (value === null && !isCollection) continue;
    values[name] = value === null ? (type === 'map' ? {} : []) : (value as PropertyValue);
  }
  return values;
}
