import type { PropertyMap } from '../property-value.ts';

/**
 * What the program asks of one resource: a registration, free of gRPC. The fields and their meaning are
 * those of Pulumi's goal state (pulumi/pulumi `sdk/go/common/resource/resource_goal.go`).
 */
export interface Goal {
  type: string;
  name: string;
  /** False for a component. */
  custom: boolean;
  inputs: PropertyMap;
  /** URN; absent for the root stack and for plugin resources the engine makes itself. */
  parent?: string;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  /** Reference of an explicit plugin resource, `<urn>::<id>`; absent means the package's default one. */
  provider?: string;
  /** Version of the package, for example `7.8.0`; absent when the SDK does not say. */
  version?: string;
  /** Inherited from the parent when absent. */
  protect?: boolean;
  /** Absent leaves it to the plugin. */
  deleteBeforeReplace?: boolean;
  ignoreChanges: string[];
  replaceOnChanges: string[];
  additionalSecretOutputs: string[];
  aliases: Alias[];
  /** Id of an existing resource to take over. */
  importId?: string;
  /** Seconds. */
  customTimeouts?: { create?: number; update?: number; delete?: number };
  sourcePosition?: string;
}

/** A name under which a resource may be known in state: a whole URN, or the parts that differ. */
export type Alias =
  | { urn: string }
  | { name?: string; type?: string; project?: string; stack?: string; parent?: string; noParent?: boolean };

/** A resource that is only read (`Resource.get`). */
export interface ReadGoal {
  type: string;
  name: string;
  id: string;
  inputs: PropertyMap;
  parent?: string;
  dependencies: string[];
  provider?: string;
  version?: string;
  additionalSecretOutputs: string[];
  sourcePosition?: string;
}

/** What the program is told of a resource it asked for. */
export interface Registered {
  urn: string;
  /** Absent for a component, and while it is not known (previews). */
  id?: string;
  outputs: PropertyMap;
  /** `skipped`: not attempted, because something it depends on failed. */
  result: 'done' | 'failed' | 'skipped';
}

/** What the SDK writes for an id that will only be known later (its value for any unknown). */
export const unknownId = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
