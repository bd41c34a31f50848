import {
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
  Unknown,
} from './property-value.ts';

/**
 * Properties as Pulumi's deployment format and its engine events write them (pulumi/pulumi
 * `pkg/resource/stack/deployment.go`, `SerializePropertyValue`, `DeserializePropertyValue`).
 */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The key that marks an object as something JSON cannot say, and what it may say (`sdk/go/common/resource/properties.go`). */
const signature = '4dabf18193072939515e22adb298388d';
const secretSignature = '1b47061264138c4ac30d75fd1eb44270';
const referenceSignature = '5cf8f73096256a8f31e491e813e4eb8e';
/** Stands for an unknown value. */
const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

export type Encrypt = (plaintext: string) => string;
export type Decrypt = (ciphertext: string) => string;

/** Inside a secret nothing is encrypted a second time. */
const inClear = (text: string): string => text;

export function propertiesToJson(properties: PropertyMap, encrypt: Encrypt): { [name: string]: Json } {
  return mapValues(properties, (value) => propertyToJson(value, encrypt));
}

export function propertyToJson(value: PropertyValue, encrypt: Encrypt): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((element) => propertyToJson(element, encrypt));
  if (value instanceof Secret) {
    const plaintext = JSON.stringify(propertyToJson(value.value, inClear));
    return { [signature]: secretSignature, ciphertext: encrypt(plaintext) };
  }
  if (value instanceof Unknown) return unknown;
  if (value instanceof ResourceReference) {
    return {
      [signature]: referenceSignature,
      urn: value.urn,
      // The engine's references carry no version; Pulumi writes the field all the same.
      packageVersion: '',
      ...(value.id === undefined ? {} : { id: typeof value.id === 'string' ? value.id : '' }),
    };
  }
  return propertiesToJson(value, encrypt);
}

/** @throws Error naming the property when the JSON is not of the format, and what `decrypt` throws. */
export function propertiesFromJson(json: unknown, decrypt: Decrypt): PropertyMap {
  if (!isObject(json)) throw new Error('expected an object of properties');
  return mapValues(json, (value) => propertyFromJson(value, decrypt));
}

export function propertyFromJson(json: unknown, decrypt: Decrypt): PropertyValue {
  if (json === unknown) return Unknown.value;
  if (json === null || typeof json === 'boolean' || typeof json === 'number' || typeof json === 'string') {
    return json;
  }
  if (Array.isArray(json)) return json.map((element) => propertyFromJson(element, decrypt));
  if (!isObject(json)) throw new Error(`expected JSON, got ${typeof json}`);
  const sort = json[signature];
  if (sort === undefined) return propertiesFromJson(json, decrypt);
  if (sort === secretSignature && typeof json['ciphertext'] === 'string') {
    return new Secret(propertyFromJson(JSON.parse(decrypt(json['ciphertext'])), inClear));
  }
  if (sort === secretSignature && typeof json['plaintext'] === 'string') {
    return new Secret(propertyFromJson(JSON.parse(json['plaintext']), inClear));
  }
  if (sort === referenceSignature && typeof json['urn'] === 'string') {
    const id = json['id'];
    if (id === undefined) return new ResourceReference(json['urn']);
    return new ResourceReference(json['urn'], typeof id === 'string' && id !== '' ? id : Unknown.value);
  }
  throw new Error('a value of an unknown kind (perhaps an asset or archive)');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** By definition, not by assignment, for the one name that is more than a property: `__proto__` stays one. */
function mapValues<From, To>(map: Record<string, From>, change: (value: From) => To): Record<string, To> {
  const changed: Record<string, To> = {};
  for (const name of Object.keys(map)) {
    const value = change(map[name] as From);
    if (name !== '__proto__') changed[name] = value;
    else
      Object.defineProperty(changed, name, { value, configurable: true, enumerable: true, writable: true });
  }
  return changed;
}
