import { isObject } from '../core/model/values/json.ts';
import {
  type Decrypt,
  type Encrypt,
  type Json,
  propertiesFromJson,
  propertiesToJson,
} from './property-json.ts';
import type { PropertyMap } from './property-value.ts';

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
  /** True if the resource is only read, never created or deleted. */
  external: boolean;
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
  ignoreChanges: string[];
  replaceOnChanges: string[];
  customTimeouts?: { create?: number; update?: number; delete?: number };
  /** RFC 3339. */
  created?: string;
  modified?: string;
  sourcePosition?: string;
}

/** An operation in progress; it stays in state if the engine is killed. */
export interface PendingOperation {
  type: 'creating' | 'updating' | 'deleting' | 'reading' | 'importing';
  resource: ResourceState;
}

/** A resource in Pulumi's deployment format: fields in Pulumi's order, without empty ones. */
export function resourceToJson(resource: ResourceState, encrypt: Encrypt): { [name: string]: Json } {
  const { customTimeouts } = resource;
  const fields: Record<string, Json | undefined> = {
    urn: resource.urn,
    custom: resource.custom,
    delete: resource.delete || undefined,
    id: resource.id || undefined,
    type: resource.type,
    inputs: orAbsent(propertiesToJson(resource.inputs, encrypt)),
    outputs: orAbsent(propertiesToJson(resource.outputs, encrypt)),
    parent: resource.parent || undefined,
    protect: resource.protect || undefined,
    external: resource.external || undefined,
    dependencies: orAbsent(resource.dependencies),
    initErrors: orAbsent(resource.initErrors),
    provider: resource.provider || undefined,
    propertyDependencies: orAbsent(resource.propertyDependencies),
    pendingReplacement: resource.pendingReplacement || undefined,
    additionalSecretOutputs: orAbsent(resource.additionalSecretOutputs),
    customTimeouts: customTimeouts && orAbsent({ ...customTimeouts }),
    importID: resource.importId || undefined,
    created: resource.created,
    modified: resource.modified,
    sourcePosition: resource.sourcePosition || undefined,
    ignoreChanges: orAbsent(resource.ignoreChanges),
    replaceOnChanges: orAbsent(resource.replaceOnChanges),
  };
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, Json] => field[1] !== undefined),
  );
}

/** The reverse; absent fields become empty. @throws Error if the JSON is not a resource */
export function resourceFromJson(json: unknown, decrypt: Decrypt): ResourceState {
  if (!isObject(json)) throw new Error('expected a resource');
  const { urn, type } = json;
  if (typeof urn !== 'string' || typeof type !== 'string') throw new Error('a resource without urn or type');
  return {
    urn,
    type,
    custom: json['custom'] === true,
    inputs: propertiesFromJson(json['inputs'] ?? {}, decrypt),
    outputs: propertiesFromJson(json['outputs'] ?? {}, decrypt),
    protect: json['protect'] === true,
    external: json['external'] === true,
    dependencies: strings(json['dependencies']),
    propertyDependencies: lists(json['propertyDependencies']),
    initErrors: strings(json['initErrors']),
    delete: json['delete'] === true,
    pendingReplacement: json['pendingReplacement'] === true,
    additionalSecretOutputs: strings(json['additionalSecretOutputs']),
    ignoreChanges: strings(json['ignoreChanges']),
    replaceOnChanges: strings(json['replaceOnChanges']),
    id: text(json['id']),
    parent: text(json['parent']),
    provider: text(json['provider']),
    importId: text(json['importID']),
    customTimeouts: isObject(json['customTimeouts']) ? timeouts(json['customTimeouts']) : undefined,
    created: text(json['created']),
    modified: text(json['modified']),
    sourcePosition: text(json['sourcePosition']),
  };
}

/** `OperationV2` of the same file. */
export function operationToJson(operation: PendingOperation, encrypt: Encrypt): { [name: string]: Json } {
  return { resource: resourceToJson(operation.resource, encrypt), type: operation.type };
}

export function operationFromJson(json: unknown, decrypt: Decrypt): PendingOperation {
  if (!isObject(json) || !isOperationType(json['type'])) throw new Error('expected a pending operation');
  return { type: json['type'], resource: resourceFromJson(json['resource'], decrypt) };
}

const operationTypes = ['creating', 'updating', 'deleting', 'reading', 'importing'] as const;

function isOperationType(value: unknown): value is PendingOperation['type'] {
  return operationTypes.some((type) => type === value);
}

function orAbsent<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function strings(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((element) => typeof element === 'string')) return value;
  throw new Error('expected a list of strings');
}

function lists(value: unknown): Record<string, string[]> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new Error('expected an object of lists');
  return Object.fromEntries(Object.entries(value).map(([name, list]) => [name, strings(list)]));
}

function timeouts(value: Record<string, unknown>): ResourceState['customTimeouts'] {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name, seconds]) => ['create', 'update', 'delete'].includes(name) && typeof seconds === 'number',
    ),
  );
}
