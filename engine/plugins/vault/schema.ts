import { z } from 'zod';
import type { JsonObject } from '../../../client/service-client.ts';
import { type Fields, type FieldType, wireNameIn } from '../../../core/model/resources/field.ts';
import { canonicalInstant, parseInstant } from '../../../core/model/values/instant.ts';
import { toCamelCase, toSnakeCase } from '../../../core/model/values/wire.ts';
import { isPropertyMap, type PropertyMap, type PropertyValue, Unknown } from '../../property-value.ts';

/** What may be said of a resource's property. Names are the bridged ones (`boundAudiences`). */
export interface Property {
  /** `map` holds strings; `maps` is a list of such; a `set` is an array whose order means nothing. */
  type: 'string' | 'boolean' | 'integer' | 'list' | 'set' | 'map' | 'maps' | 'object';
  required?: boolean;
  /** Written into the inputs, and listed in their `__defaults`, when the program gives nothing. */
  default?: string | number | boolean;
  /** Named after the resource, with a random end, when the program gives nothing. */
  autonamed?: boolean;
  /** The service chooses a value when the program gives nothing; that is no difference. */
  computed?: boolean;
  /** Only the service gives it; the program cannot. */
  outputOnly?: boolean;
  /** A read does not tell it: the state keeps what was written last. */
  unread?: boolean;
  /** Whether a change of it needs a new resource. */
  replaces?: boolean | ((olds: PropertyMap, news: PropertyMap) => boolean);
  oneOf?: readonly string[];
  /** Why a string is refused; undefined when it is fine. */
  refuse?: (value: string) => string | undefined;
  /** Why a value of another type is refused, where there is more to say than its type. */
  mistyped?: (value: PropertyValue) => string;
  /** Why the plugin does not take the property at all. */
  unsupported?: string;
  /** The properties of an `object`. */
  fields?: Schema;
  /** One form for all spellings of the same value (or element, for collections). */
  normal?: (value: string, resource: PropertyMap) => string;
  /** When true, differences in it are not looked at. */
  ignored?: (resource: PropertyMap) => boolean;
}

export type Schema = Readonly<Record<string, Property>>;

/**
 * The key under which the inputs list the properties that were filled in by default. The bridge writes it into
 * every object of the inputs (pulumi/pulumi-terraform-bridge `pkg/tfbridge/schema.go`, `applyDefaults`).
 */
export const defaultsKey = '__defaults';

/** A map's entries without the bridge's own key. */
export function entries(value: PropertyMap): [string, PropertyValue][] {
  return Object.entries(value).filter(([name]) => name !== defaultsKey);
}

/** True for what a Terraform schema cannot tell from nothing: null, "", 0, false, [], {}. */
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

export function holdsUnknown(value: PropertyValue | undefined): boolean {
  if (value instanceof Unknown) return true;
  if (Array.isArray(value)) return value.some(holdsUnknown);
  return isPropertyMap(value) && Object.values(value).some(holdsUnknown);
}

/** Whether two values of a property say the same to the service. */
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

/** Every resource's namespace: relative to the plugin's own, and never moved. */
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
 * The properties of a resource by its table of fields, under their bridged names: the wire's own in camelCase.
 *
 * @param own what is the official plugin's own of some properties, by their bridged names
 * @param defaults the properties whose default it fills in
 */
export function schemaOf(
  table: Fields,
  own: Record<string, Partial<Property>> = {},
  defaults: readonly string[] = [],
): Schema {
  const declared = Object.entries(table).filter(([, { liveOnly }]) => !liveOnly);
  return Object.fromEntries(
    declared.map(([field, { type, isSet, required, secret, schema, ...rest }]) => {
      const name = toCamelCase(wireNameIn(table, field));
      const oneOf = schema instanceof z.ZodEnum ? schema.options.map(String) : undefined;
      const property: Property = { type: isSet ? 'set' : types[type], required, unread: secret, oneOf };
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

/** A property that the checks have made a string; "" when it is not there. */
export function text(properties: PropertyMap, name: string): string {
  const value = properties[name];
  return typeof value === 'string' ? value : '';
}

const wireNames = new Map<string, string>();

/** A property's name on the wire; worked out once, for a role has thirty and each is written and read back. */
export function onWire(property: string): string {
  const known = wireNames.get(property);
  if (known !== undefined) return known;
  const name = toSnakeCase(property);
  wireNames.set(property, name);
  return name;
}

/** What an answer's data holds of a schema, under the bridged names. */
export function toldValues(schema: Schema, data: JsonObject): PropertyMap {
  const told: PropertyMap = {};
  for (const [name, { type }] of Object.entries(schema)) {
    const value = data[onWire(name)];
    if (value === undefined) continue;
    // Go writes an empty list or map that was never set as null.
    const isCollection = type === 'list' || type === 'set' || type === 'map';
    if (value === null && !isCollection) continue;
    told[name] = value === null ? (type === 'map' ? {} : []) : (value as PropertyValue);
  }
  return told;
}
