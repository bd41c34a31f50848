/**
 * A property of a Pulumi resource, as the engine holds it: JSON plus what JSON cannot say. Assets and
 * archives are refused by name where they come in (`engine/wire-value.ts`).
 */
export type PropertyValue =
  | null
  | boolean
  | number
  | string
  | PropertyValue[]
  | PropertyMap
  | Secret
  | Unknown
  | ResourceReference;

export interface PropertyMap {
  [name: string]: PropertyValue;
}

/** A value that must not be shown and is encrypted in state. Never holds another `Secret` directly. */
export class Secret {
  readonly value: PropertyValue;
  constructor(value: PropertyValue) {
    this.value = value;
  }
}

/** A value that will only be known once its resource has been created (previews only). */
// biome-ignore lint/complexity/noStaticOnlyClass: there is one such value, told apart by `instanceof`
export class Unknown {
  static readonly value: Unknown = new Unknown();
}

/** A resource passed as a property of another (Pulumi's resource reference). */
export class ResourceReference {
  readonly urn: string;
  /** The id of a custom resource; `Unknown` in a preview of its creation; absent for a component. */
  readonly id: PropertyValue | undefined;
  constructor(urn: string, id?: PropertyValue) {
    this.urn = urn;
    this.id = id;
  }
}

/** True for an object of properties: neither a list nor a secret, an unknown value or a resource reference. */
export function isPropertyMap(value: PropertyValue | undefined): value is PropertyMap {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
