import type { PropertyDiff } from '../property-diff.ts';
import type { PropertyMap } from '../property-value.ts';

/**
 * A Pulumi plugin (resource provider). Its methods are those of Pulumi's `ResourceProvider` service (pulumi/pulumi
 * `proto/pulumi/provider.proto`). The local engine calls them in this process; `serve.ts` serves a plugin over gRPC to
 * the real CLI.
 *
 * Create and update may be called with `preview: true`. Properties may hold `Unknown` then. They never hold `Secret` or
 * `ResourceReference`: the engine strips them before a call and marks secrets again after it.
 * Every method rejects with a `PluginError` when the plugin refuses.
 */
export interface Plugin {
  checkConfig(request: CheckRequest): Promise<CheckResponse>;
  diffConfig(request: DiffRequest): Promise<DiffResponse>;
  configure(request: { inputs: PropertyMap }): Promise<void>;
  check(request: CheckRequest): Promise<CheckResponse>;
  diff(request: DiffRequest): Promise<DiffResponse>;
  create(request: CreateRequest): Promise<CreateResponse>;
  read(request: ReadRequest): Promise<ReadResponse>;
  update(request: UpdateRequest): Promise<UpdateResponse>;
  delete(request: DeleteRequest): Promise<void>;
  /** For the local engine: ids of the resources that an interrupted create may have created. */
  findCreated(request: FindRequest): Promise<string[]>;
  close(): Promise<void>;
}

export interface CheckRequest {
  urn: string;
  /** The inputs of the last deployment; empty for a new resource. */
  olds: PropertyMap;
  /** The inputs from the program. */
  news: PropertyMap;
  /** 32 bytes that autonames are derived from. */
  randomSeed?: Uint8Array;
}
export interface CheckFailure {
  /** Path of the property, for example `type`; empty for the whole resource. */
  property: string;
  reason: string;
}
export interface CheckResponse {
  inputs: PropertyMap;
  failures: CheckFailure[];
}

export interface DiffRequest {
  urn: string;
  id: string;
  /** The outputs of the last deployment. */
  olds: PropertyMap;
  oldInputs: PropertyMap;
  /** The checked inputs. */
  news: PropertyMap;
  ignoreChanges: string[];
}
export interface DiffResponse {
  changes: 'none' | 'some';
  /** Properties whose change requires a replacement. */
  replaces: string[];
  /** Top-level properties that changed. */
  diffs: string[];
  deleteBeforeReplace: boolean;
  /** Property path → difference; absent if the plugin does not report it. */
  detailedDiff?: Record<string, PropertyDiff>;
}

export interface CreateRequest {
  urn: string;
  properties: PropertyMap;
  preview: boolean;
  /** In seconds; 0 means the plugin's default. */
  timeout: number;
}
export interface CreateResponse {
  /** Empty only in a preview. */
  id: string;
  properties: PropertyMap;
}
export interface ReadRequest {
  urn: string;
  id: string;
  inputs: PropertyMap;
  properties: PropertyMap;
}
export interface ReadResponse {
  /** Empty when the resource is gone. */
  id: string;
  inputs: PropertyMap;
  properties: PropertyMap;
}
export interface UpdateRequest extends DiffRequest {
  preview: boolean;
  timeout: number;
}
export interface UpdateResponse {
  properties: PropertyMap;
}
export interface DeleteRequest {
  urn: string;
  id: string;
  properties: PropertyMap;
  oldInputs: PropertyMap;
  timeout: number;
}
export interface FindRequest {
  urn: string;
  /** The inputs of the create. */
  properties: PropertyMap;
}

/**
 * A plugin's refusal. With `partial`, the resource exists but is incomplete: the engine keeps it with its `reasons` as
 * `initErrors` (provider.proto, `ErrorResourceInitFailed`), and the next `up` fixes it.
 */
export class PluginError extends Error {
  readonly partial: PartialFailure | undefined;
  constructor(message: string, partial?: PartialFailure, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PluginError';
    this.partial = partial;
  }
}
export interface PartialFailure {
  id: string;
  properties: PropertyMap;
  inputs: PropertyMap;
  reasons: string[];
}

/** What a plugin of ours does not do, by its name. */
export function notSupported(name: string, what: string): PluginError {
  return new PluginError(
    `The embedded ${name} plugin does not do ${what}. Use the official plugin: --engine pulumi without --plugin embedded.`,
  );
}

/** Turns every error into a `PluginError`. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PluginError) throw error;
    throw new PluginError(messageOf(error), undefined, { cause: error });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
