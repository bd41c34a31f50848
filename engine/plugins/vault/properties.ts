import type { JsonObject } from '../../../client/service-client.ts';
import { toSnakeCase } from '../../../core/model/values/wire.ts';
import type { PropertyMap, PropertyValue } from '../../property-value.ts';
import type { Property, Schema } from './schema.ts';

/** Every resource's namespace: relative to the plugin's own, and never moved. */
export const namespaceProperty: Property = {
  type: 'string',
  replaces: true,
  unread: true,
  refuse: (value) => (/^\/|\/$/.test(value) ? 'must not begin or end with a slash' : undefined),
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

/** The values of `names` that an answer's data holds, under their bridged names. */
export function toldValues(schema: Schema, names: readonly string[], data: JsonObject): PropertyMap {
  const told: PropertyMap = {};
  for (const name of names) {
    const value = data[onWire(name)];
    const property = schema[name];
    if (property === undefined || value === undefined) continue;
    // Go writes an empty list or map that was never set as null.
    const isCollection = property.type === 'list' || property.type === 'set' || property.type === 'map';
    if (value === null && !isCollection) continue;
    told[name] = value === null ? (property.type === 'map' ? {} : []) : (value as PropertyValue);
  }
  return told;
}
