/**
 * Properties on Pulumi's wire: a protobuf `Struct`. Secrets, resource references and output values are objects with a
 * signature, and unknown values are reserved strings (pulumi/pulumi `sdk/go/common/resource/plugin/rpc.go`).
 */
import type { ListValue, Struct, Value } from 'google-protobuf/google/protobuf/struct_pb.js';
// The CommonJS copy that the SDK's stubs use: gRPC refuses messages of another copy.
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { GatehouseError } from '../core/model/values/errors.ts';
import { unknownText, unknownTexts } from '../core/model/values/unknown-text.ts';
import {
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
  Signature,
  signatureKey,
  Unknown,
} from './property-value.ts';

const Kind = structPb.Value.KindCase;

export interface ToStructOptions {
  /** Mark secrets; otherwise their plain value is sent. Defaults to false. */
  keepSecrets?: boolean;
  /** Mark resource references; otherwise the id is sent, or a component's URN. Defaults to false. */
  keepResources?: boolean;
}

/** Undefined properties are omitted; undefined list entries become null. */
export function toStruct(map: PropertyMap, options: ToStructOptions = {}): Struct {
  const struct = new structPb.Struct();
  const fields = struct.getFieldsMap();
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (value !== undefined) fields.set(name, toValue(value, options));
  }
  return struct;
}

/**
 * An output value becomes unknown, secret or plain, without its dependencies. An absent struct is an empty map.
 *
 * @throws GatehouseError `asset_not_supported`, `wire_value_invalid`
 */
export function fromStruct(struct: Struct | null | undefined): PropertyMap {
  const map: PropertyMap = {};
  struct?.getFieldsMap().forEach((value, name) => {
    map[name] = fromValue(value, name);
  });
  return map;
}

function toValue(value: PropertyValue | undefined, options: ToStructOptions): Value {
  switch (typeof value) {
    case 'string':
      return new structPb.Value().setStringValue(value);
    case 'number':
      return new structPb.Value().setNumberValue(value);
    case 'boolean':
      return new structPb.Value().setBoolValue(value);
    case 'undefined':
      return nullValue();
  }
  if (value === null) return nullValue();
  if (Array.isArray(value)) {
    const list = new structPb.ListValue().setValuesList(value.map((entry) => toValue(entry, options)));
    return new structPb.Value().setListValue(list);
  }
  if (value instanceof Unknown) return new structPb.Value().setStringValue(unknownText);
  if (value instanceof Secret) {
    return options.keepSecrets
      ? marked(Signature.secret, { value: value.value }, options)
      : toValue(value.value, options);
  }
  if (value instanceof ResourceReference) return referenceToValue(value, options);
  return new structPb.Value().setStructValue(toStruct(value, options));
}

function referenceToValue({ urn, id }: ResourceReference, options: ToStructOptions): Value {
  if (!options.keepResources) return toValue(id ?? urn, options);
  const fields: PropertyMap = { urn };
  // The wire format has an empty string for an id that is not known yet.
  if (id !== undefined) fields['id'] = id instanceof Unknown ? '' : id;
  return marked(Signature.resourceReference, fields, options);
}

function marked(signature: string, fields: PropertyMap, options: ToStructOptions): Value {
  return new structPb.Value().setStructValue(toStruct({ [signatureKey]: signature, ...fields }, options));
}

function nullValue(): Value {
  return new structPb.Value().setNullValue(structPb.NullValue.NULL_VALUE);
}

function fromValue(value: Value, name: string): PropertyValue {
  switch (value.getKindCase()) {
    case Kind.STRING_VALUE: {
      const text = value.getStringValue();
      return unknownTexts.has(text) ? Unknown.value : text;
    }
    case Kind.NUMBER_VALUE:
      return value.getNumberValue();
    case Kind.BOOL_VALUE:
      return value.getBoolValue();
    case Kind.LIST_VALUE:
      return (value.getListValue() as ListValue).getValuesList().map((entry) => fromValue(entry, name));
    case Kind.STRUCT_VALUE:
      return fromObject(fromStruct(value.getStructValue()), name);
    default:
      return null;
  }
}

/** A nested object: plain, or with a signature. */
function fromObject(object: PropertyMap, name: string): PropertyValue {
  const signature = object[signatureKey];
  if (signature === undefined) return object;
  switch (signature) {
    case Signature.secret:
      if (object['value'] === undefined) throw invalid(name, 'a secret without a value');
      return secret(object['value']);
    case Signature.outputValue: {
      const inner = object['value'] ?? ('value' in object ? null : Unknown.value);
      return object['secret'] === true ? secret(inner) : inner;
    }
    case Signature.resourceReference: {
      const { urn, id } = object;
      if (typeof urn !== 'string') throw invalid(name, 'a resource reference without a URN');
      return new ResourceReference(urn, id === '' ? Unknown.value : id);
    }
    case Signature.asset:
    case Signature.archive:
      throw new GatehouseError({
        code: 'asset_not_supported',
        what: `an ${signature === Signature.asset ? 'asset' : 'archive'} cannot be passed to a resource here`,
        fix: 'Pass the text itself, or use --engine pulumi.',
        where: name,
      });
    default:
      throw invalid(name, 'an object with a signature that is not known');
  }
}

function secret(value: PropertyValue): Secret {
  return value instanceof Secret ? value : new Secret(value);
}

function invalid(name: string, what: string): GatehouseError {
  return new GatehouseError({
    code: 'wire_value_invalid',
    what: `${what} came over the plugin protocol`,
    where: name,
  });
}
