/** Properties on Pulumi's wire: a protobuf `Struct` (pulumi/pulumi `sdk/go/common/resource/plugin/rpc.go`). */
import type { JavaScriptValue, Struct, Value } from 'google-protobuf/google/protobuf/struct_pb.js';
// The CommonJS copy that the SDK's stubs use: gRPC refuses messages of another copy.
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { type JsonForm, marked, propertiesFromJson, referencedId, toJson } from './property-json.ts';
import { type PropertyMap, type PropertyValue, Signature } from './property-value.ts';

export interface ToStructOptions {
  /** Mark secrets; otherwise their plain value is sent. Defaults to false. */
  keepSecrets?: boolean;
  /** Mark resource references; otherwise the id is sent, or a component's URN. Defaults to false. */
  keepResources?: boolean;
}

/** Undefined properties are omitted; undefined list entries become null. */
export function toStruct(map: PropertyMap, { keepSecrets, keepResources }: ToStructOptions = {}): Struct {
  const form: JsonForm = {
    secret: (value) => {
      const plain = toJson(value, form);
      return keepSecrets ? marked(Signature.secret, { value: plain }) : plain;
    },
    reference: (reference) => {
      const { urn, id = urn } = reference;
      if (!keepResources) return toJson(id, form);
      return marked(Signature.resourceReference, { urn, ...referencedId(reference) });
    },
  };
  return structPb.Struct.fromJavaScript(toJson(map, form) as Record<string, JavaScriptValue>);
}

/**
 * An output value becomes unknown, secret or plain, without its dependencies. An absent struct is an empty map.
 *
 * @throws GatehouseError `asset_not_supported`, `wire_value_invalid`
 */
export function fromStruct(struct: Struct | null | undefined): PropertyMap {
  return struct ? propertiesFromJson(struct.toJavaScript(), undefined) : {};
}

/** A single value, read as `fromStruct` reads one. An absent value is undefined. */
export function fromValue(value: Value | null | undefined): PropertyValue | undefined {
  return value ? propertiesFromJson({ value: value.toJavaScript() }, undefined)['value'] : undefined;
}
