/** A property of a Pulumi resource: JSON and more. `wire-value.ts` refuses assets and archives. */
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

/** Properties of a resource by name. */
export interface PropertyMap {
  [name: string]: PropertyValue;
}

/** A value that is never shown, and encrypted in state. Never directly holds another `Secret`. */
export class Secret {
  readonly value: PropertyValue;
  constructor(value: PropertyValue) {
    this.value = value;
  }
}

/** In a preview: a value that is known only after its resource is created. */
// biome-ignore lint/complexity/noStaticOnlyClass: the one value is recognized by `instanceof`
export class Unknown {
  static readonly value: Unknown = new Unknown();
}

/** A resource passed as a property of another (Pulumi's resource reference). */
export class ResourceReference {
  readonly urn: string;
  /** `Unknown` in a preview of its creation; absent for a component. */
  readonly id: PropertyValue | undefined;
  constructor(urn: string, id?: PropertyValue) {
    this.urn = urn;
    this.id = id;
  }
}

/** Whether a value is a plain object, not a list, secret, unknown value or resource reference. */
export function isPropertyMap(value: PropertyValue | undefined): value is PropertyMap {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Whether it is an unknown value, or one is in it. Does not look into secrets. */
export function holdsUnknown(value: PropertyValue | undefined): boolean {
  if (value instanceof Unknown) return true;
  if (Array.isArray(value)) return value.some(holdsUnknown);
  return isPropertyMap(value) && Object.values(value).some(holdsUnknown);
}

/**
 * The key that marks an object as something JSON cannot express, and its values
 * (`sdk/go/common/resource/properties.go`).
 */
export const signatureKey = '4dabf18193072939515e22adb298388d';
export const Signature = {
  secret: '1b47061264138c4ac30d75fd1eb44270',
  resourceReference: '5cf8f73096256a8f31e491e813e4eb8e',
  outputValue: 'd0e6a833031e9bbcd3f4e8bde6ca49a4',
  asset: 'c44067f5952c0a294b673a41bacd8c17',
  archive: '0def7320c3a5731c473e5ecbe6d01bc7',
} as const;
