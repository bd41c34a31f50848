import { textOf } from '@gatehouse/core/graph';
import { isObject, isTexts, isUnset } from '@gatehouse/core/values';
import {
  type Decrypt,
  type Encrypt,
  type PropertyJson,
  propertiesFromJson,
  propertiesToJson,
} from './property-json.ts';
import type { PropertyMap, PropertyValue } from './property-value.ts';

/**
 * A resource in the engine's state, with the fields of Pulumi's deployment format, version 3 (pulumi/pulumi
 * `sdk/go/common/apitype/core.go`, `ResourceV3`).
 */
export interface ResourceState {
  urn: string;
  type: string;
  /** False for a component; true for any other resource, including plugin resources. */
  custom: boolean;
  /** Absent for components. */
  id?: string;
  inputs: PropertyMap;
  outputs: PropertyMap;
  parent?: string;
  protect: boolean;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  /** Reference of the plugin resource, `<urn>::<id>`; absent for components and plugin resources. */
  provider?: string;
  /** Why the resource is incomplete, if it is; then the next `up` updates it in any case. */
  initErrors: string[];
  /** True if the resource has been replaced and must still be deleted. */
  delete: boolean;
  /** True if the resource is deleted and its replacement is not created yet. */
  pendingReplacement: boolean;
  additionalSecretOutputs: string[];
  importId?: string;
  replaceOnChanges: string[];
  /** A change of it replaces the resource, whatever its plugin finds. */
  replacementTrigger?: PropertyValue;
  /** RFC 3339. */
  created?: string;
  modified?: string;
  sourcePosition?: string;
}

/** An operation in progress; it stays in state if the engine is killed. */
export interface PendingOperation {
  type: (typeof operationTypes)[number];
  resource: ResourceState;
}
const operationTypes = ['creating', 'updating', 'deleting', 'reading', 'importing'] as const;

/** The fields by what they hold. */
const fieldsOf = {
  text: ['urn', 'id', 'type', 'parent', 'provider', 'importId', 'created', 'modified', 'sourcePosition'],
  flag: ['custom', 'delete', 'protect', 'pendingReplacement'],
  properties: ['inputs', 'outputs'],
  property: ['replacementTrigger'],
  texts: ['dependencies', 'initErrors', 'additionalSecretOutputs', 'replaceOnChanges'],
  textsByName: ['propertyDependencies'],
} as const satisfies Record<string, readonly (keyof ResourceState)[]>;
type FieldKind = keyof typeof fieldsOf;
const fields = Object.entries(fieldsOf).flatMap(([kind, names]) =>
  names.map((name) => ({ kind: kind as FieldKind, name, inJson: name === 'importId' ? 'importID' : name })),
);

/** A resource in Pulumi's deployment format, without empty fields. */
export function resourceToJson(resource: ResourceState, encrypt: Encrypt): { [name: string]: PropertyJson } {
  const json: { [name: string]: PropertyJson } = {};
  for (const { name, inJson, kind } of fields) {
    const value = resource[name];
    // An empty trigger is one, too.
    const isAbsent = kind === 'property' ? value === undefined || value === null : isUnset(value);
    if (name !== 'custom' && isAbsent) continue;
    json[inJson] = fieldToJson(kind, value, encrypt);
  }
  return json;
}

function fieldToJson(kind: FieldKind, value: unknown, encrypt: Encrypt): PropertyJson {
  if (kind === 'properties') return propertiesToJson(value as PropertyMap, encrypt);
  if (kind === 'property')
    return propertiesToJson({ value: value as PropertyValue }, encrypt)['value'] ?? null;
  return value as PropertyJson;
}

/** The reverse; absent fields become empty. @throws Error if the JSON is not a resource */
export function resourceFromJson(json: unknown, decrypt: Decrypt): ResourceState {
  if (!isObject(json)) throw new Error('expected a resource');
  if (!json['urn'] || !json['type']) throw new Error('a resource without urn or type');
  const read = fields.map(({ name, inJson, kind }) => [name, fieldFromJson(kind, json[inJson], decrypt)]);
  return Object.fromEntries(read);
}

function fieldFromJson(kind: FieldKind, value: unknown, decrypt: Decrypt): unknown {
  switch (kind) {
    case 'text':
      return textOf(value) || undefined;
    case 'flag':
      return value === true;
    case 'properties':
      return propertiesFromJson(value ?? {}, decrypt);
    case 'property':
      return value === undefined ? undefined : propertiesFromJson({ value }, decrypt)['value'];
    case 'texts':
      return texts(value ?? []);
    case 'textsByName':
      return Object.fromEntries(entriesOf(value ?? {}).map(([name, list]) => [name, texts(list)]));
  }
}

/** `OperationV2` of the same file. */
export function operationToJson(
  operation: PendingOperation,
  encrypt: Encrypt,
): { [name: string]: PropertyJson } {
  return { resource: resourceToJson(operation.resource, encrypt), type: operation.type };
}

export function operationFromJson(json: unknown, decrypt: Decrypt): PendingOperation {
  const operation = isObject(json) ? json : {};
  const type = operationTypes.find((operationType) => operationType === operation['type']);
  if (type === undefined) throw new Error('expected a pending operation');
  return { type, resource: resourceFromJson(operation['resource'], decrypt) };
}

function texts(value: unknown): string[] {
  if (isTexts(value)) return value;
  throw new Error('expected a list of strings');
}

function entriesOf(value: unknown): [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  throw new Error('expected an object');
}
