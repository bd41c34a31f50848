import type { PropertyMap } from './property-value.ts';

/**
 * One resource in the engine's state. The fields and their meaning are those of Pulumi's deployment format,
 * version 3 (pulumi/pulumi `sdk/go/common/apitype/core.go`, `ResourceV3`).
 */
export interface ResourceState {
  urn: string;
  type: string;
  /** True for a resource of a plugin (a plugin resource itself included), false for a component. */
  custom: boolean;
  /** Absent for components. */
  id?: string;
  inputs: PropertyMap;
  outputs: PropertyMap;
  parent?: string;
  protect: boolean;
  /** True when the resource is only read, never created or deleted. */
  external: boolean;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  /** Reference of the plugin resource, `<urn>::<id>`; absent for components and plugin resources. */
  provider?: string;
  /** Why the resource exists but is not right yet; the next `up` updates it whatever its inputs say. */
  initErrors: string[];
  /** True for a resource that has been replaced and is still to be deleted. */
  delete: boolean;
  /** True for a resource deleted ahead of its replacement, which has not been created yet. */
  pendingReplacement: boolean;
  additionalSecretOutputs: string[];
  aliases: string[];
  importId?: string;
  ignoreChanges: string[];
  customTimeouts?: { create?: number; update?: number; delete?: number };
  /** RFC 3339. */
  created?: string;
  modified?: string;
  sourcePosition?: string;
}

/** An operation that was begun; it is in state only while it runs, or when the engine was killed in it. */
export interface PendingOperation {
  type: 'creating' | 'updating' | 'deleting' | 'reading' | 'importing';
  resource: ResourceState;
}
