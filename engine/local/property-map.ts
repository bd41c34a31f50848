import type { PropertyMap, PropertyValue } from '../property-value.ts';

/** True for an object of properties: neither a list nor a secret, an unknown value or a resource reference. */
export function isPropertyMap(value: PropertyValue | undefined): value is PropertyMap {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
