import { GatehouseError, isObject, unknownText, unknownTexts } from '@gatehouse/core/values';
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
 * Properties as JSON: in Pulumi's deployment format and engine events (pulumi/pulumi
 * `pkg/resource/stack/deployment.go`, `SerializePropertyValue`, `DeserializePropertyValue`), and on its wire
 * (`wire-value.ts`). Secrets, resource references and output values are objects with a signature, and unknown values
 * are reserved strings.
 */
export type PropertyJson =
  | null
  | boolean
  | number
  | string
  | PropertyJson[]
  | { [name: string]: PropertyJson };

export type Encrypt = (plaintext: string) => string;
export type Decrypt = (ciphertext: string) => string;

/** The form of values that JSON cannot express. */
export interface JsonForm {
  secret(value: PropertyValue): PropertyJson;
  reference(reference: ResourceReference): PropertyJson;
}

export function marked(signature: string, fields: { [name: string]: PropertyJson }): PropertyJson {
  return { [signatureKey]: signature, ...fields };
}

/** The id in a reference: empty while it is not known, absent for a component. */
export function referencedId({ id }: ResourceReference): { id?: string } {
  return id === undefined ? {} : { id: typeof id === 'string' ? id : '' };
}

/** Undefined properties are omitted; undefined list entries become null. */
export function toJson(value: PropertyMap, form: JsonForm): { [name: string]: PropertyJson };
export function toJson(value: PropertyValue, form: JsonForm): PropertyJson;
export function toJson(value: PropertyValue | undefined, form: JsonForm): PropertyJson {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((element) => toJson(element, form));
  if (value instanceof Secret) return form.secret(value.value);
  if (value instanceof Unknown) return unknownText;
  if (value instanceof ResourceReference) return form.reference(value);
  return mapValues(value, (member) => toJson(member, form));
}

/** The form of the deployment format. Values inside a secret are not encrypted again. */
function sealed(encrypt: Encrypt): JsonForm {
  return {
    secret: (value) => {
      const plaintext = JSON.stringify(toJson(value, inClear));
      return marked(Signature.secret, { ciphertext: encrypt(plaintext) });
    },
    // The engine's references have no version, but Pulumi always writes the field.
    reference: (reference) =>
      marked(Signature.resourceReference, {
        urn: reference.urn,
        packageVersion: '',
        ...referencedId(reference),
      }),
  };
}
const inClear = sealed((plaintext) => plaintext);

/** Properties as JSON with "[secret]" for each secret, as Pulumi shows them. */
export function maskedProperties(properties: PropertyMap): { [name: string]: PropertyJson } {
  return toJson(properties, { ...inClear, secret: () => '[secret]' });
}

export function propertiesToJson(
  properties: PropertyMap,
  encrypt: Encrypt,
): { [name: string]: PropertyJson } {
  return toJson(properties, sealed(encrypt));
}

/**
 * An output value becomes unknown, secret or plain, without its dependencies.
 *
 * @param decrypt for the deployment format, whose secrets have a `ciphertext` or `plaintext`; undefined for the wire,
 *   where they have a `value`, and which alone has output values
 * @throws GatehouseError `asset_not_supported`, `state_value_invalid` or `wire_value_invalid`, and the errors of
 *   `decrypt`
 */
export function propertiesFromJson(json: unknown, decrypt: Decrypt | undefined): PropertyMap {
  if (!isObject(json)) throw invalid('', 'no object of properties', decrypt);
  return mapValues(json, (value, name) => fromJson(value, decrypt, name));
}

/** @param name of the property that it is in, for errors */
function fromJson(json: unknown, decrypt: Decrypt | undefined, name: string): PropertyValue {
  if (typeof json === 'string') return unknownTexts.has(json) ? Unknown.value : json;
  if (json === null || typeof json === 'boolean' || typeof json === 'number') return json;
  if (Array.isArray(json)) return json.map((element) => fromJson(element, decrypt, name));
  if (!isObject(json)) throw invalid(name, `a ${typeof json}`, decrypt);
  const inner = (value: unknown) => fromJson(value, decrypt, name);
  switch (json[signatureKey]) {
    case undefined:
      return propertiesFromJson(json, decrypt);
    case Signature.secret: {
      const { ciphertext, plaintext, value } = json;
      if (decrypt === undefined) {
        if (value === undefined) throw invalid(name, 'a secret without a value', decrypt);
        return secret(inner(value));
      }
      const text = typeof ciphertext === 'string' ? decrypt(ciphertext) : plaintext;
      if (typeof text !== 'string') throw invalid(name, 'a secret without a ciphertext', decrypt);
      return secret(fromJson(JSON.parse(text), (sealedText) => sealedText, name));
    }
    case Signature.outputValue: {
      if (decrypt !== undefined) throw invalid(name, 'an output value', decrypt);
      const value = 'value' in json ? inner(json['value']) : Unknown.value;
      return json['secret'] === true ? secret(value) : value;
    }
    case Signature.resourceReference: {
      const { urn, id } = json;
      if (typeof urn !== 'string') throw invalid(name, 'a resource reference without a URN', decrypt);
      return new ResourceReference(urn, id === '' ? Unknown.value : id === undefined ? undefined : inner(id));
    }
    case Signature.asset:
    case Signature.archive:
      throw new GatehouseError('asset_not_supported', {
        where: name,
        values: { kind: json[signatureKey] === Signature.asset ? 'asset' : 'archive' },
      });
    default:
      throw invalid(name, 'an object with a signature that is not known', decrypt);
  }
}

function secret(value: PropertyValue): Secret {
  return value instanceof Secret ? value : new Secret(value);
}

function invalid(name: string, what: string, decrypt: Decrypt | undefined): GatehouseError {
  const where = name || undefined;
  if (decrypt === undefined) {
    return new GatehouseError('wire_value_invalid', { where, values: { value: what } });
  }
  return new GatehouseError('state_value_invalid', { where, values: { value: what } });
}

/** Defines `__proto__` rather than assigning it, so that it stays a property. */
function mapValues<From, To>(
  map: Record<string, From>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  const changed: Record<string, To> = {};
  for (const name of Object.keys(map)) {
    if (map[name] === undefined) continue;
    const value = change(map[name], name);
    if (name !== '__proto__') changed[name] = value;
    else
      Object.defineProperty(changed, name, { value, configurable: true, enumerable: true, writable: true });
  }
  return changed;
}
