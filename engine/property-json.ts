import { isObject } from '../core/model/values/json.ts';
import { unknownText } from '../core/model/values/unknown-text.ts';
import {
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
  Signature,
  signatureKey,
  Unknown,
} from './property-value.ts';

/**
 * Properties in Pulumi's deployment format and engine events (pulumi/pulumi `pkg/resource/stack/deployment.go`,
 * `SerializePropertyValue`, `DeserializePropertyValue`). Signatures are as on the wire.
 */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export type Encrypt = (plaintext: string) => string;
export type Decrypt = (ciphertext: string) => string;

/** Values inside a secret are not encrypted again. */
const inClear = (text: string): string => text;

export function propertiesToJson(properties: PropertyMap, encrypt: Encrypt): { [name: string]: Json } {
  return mapValues(properties, (value) => propertyToJson(value, encrypt));
}

export function propertyToJson(value: PropertyValue, encrypt: Encrypt): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((element) => propertyToJson(element, encrypt));
  if (value instanceof Secret) {
    const plaintext = JSON.stringify(propertyToJson(value.value, inClear));
    return { [signatureKey]: Signature.secret, ciphertext: encrypt(plaintext) };
  }
  if (value instanceof Unknown) return unknownText;
  if (value instanceof ResourceReference) {
    return {
      [signatureKey]: Signature.resourceReference,
      urn: value.urn,
      // The engine's references have no version, but Pulumi always writes the field.
      packageVersion: '',
      ...(value.id !== undefined && { id: typeof value.id === 'string' ? value.id : '' }),
    };
  }
  return propertiesToJson(value, encrypt);
}

/** @throws Error if the JSON is not valid, and the errors of `decrypt` */
export function propertiesFromJson(json: unknown, decrypt: Decrypt): PropertyMap {
  if (!isObject(json)) throw new Error('expected an object of properties');
  return mapValues(json, (value) => propertyFromJson(value, decrypt));
}

export function propertyFromJson(json: unknown, decrypt: Decrypt): PropertyValue {
  if (json === unknownText) return Unknown.value;
  if (json === null || typeof json === 'boolean' || typeof json === 'number' || typeof json === 'string') {
    return json;
  }
  if (Array.isArray(json)) return json.map((element) => propertyFromJson(element, decrypt));
  if (!isObject(json)) throw new Error(`expected JSON, got ${typeof json}`);
  const sort = json[signatureKey];
  if (sort === undefined) return propertiesFromJson(json, decrypt);
  if (sort === Signature.secret) {
    const { ciphertext, plaintext } = json;
    const text = typeof ciphertext === 'string' ? decrypt(ciphertext) : plaintext;
    if (typeof text === 'string') return new Secret(propertyFromJson(JSON.parse(text), inClear));
  }
  if (sort === Signature.resourceReference && typeof json['urn'] === 'string') {
    const id = json['id'];
    if (id === undefined) return new ResourceReference(json['urn']);
    return new ResourceReference(json['urn'], typeof id === 'string' && id !== '' ? id : Unknown.value);
  }
  throw new Error('a value of an unknown kind (perhaps an asset or archive)');
}

/** Defines `__proto__` rather than assigning it, so that it stays a property. */
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
