import type { PropertyDiff } from '../property-diff.ts';
import type { PropertyMap } from '../property-value.ts';

/**
 * A Pulumi plugin (resource provider), as the engine uses it. The methods and their meaning are those of
 * Pulumi's `ResourceProvider` service (pulumi/pulumi `proto/pulumi/provider.proto`). There are two
 * implementations: `grpc-plugin.ts` drives any plugin binary over gRPC, `vault/` is our own, used in
 * process by the local engine and served over gRPC (`serve.ts`) to the real CLI.
 *
 * Properties may hold `Unknown` in previews. They hold `Secret` only when `configure` answered
 * `acceptSecrets`; otherwise the engine strips secrets before a call and marks them again after it.
 * Every method rejects with a `PluginError` when the plugin refuses.
 */
export interface Plugin {
  checkConfig(request: CheckRequest): Promise<CheckResponse>;
  diffConfig(request: DiffRequest): Promise<DiffResponse>;
  configure(request: { inputs: PropertyMap }): Promise<PluginCapabilities>;
  check(request: CheckRequest): Promise<CheckResponse>;
  diff(request: DiffRequest): Promise<DiffResponse>;
  create(request: CreateRequest): Promise<CreateResponse>;
  read(request: ReadRequest): Promise<ReadResponse>;
  update(request: UpdateRequest): Promise<UpdateResponse>;
  delete(request: DeleteRequest): Promise<void>;
  invoke(request: { token: string; args: PropertyMap }): Promise<InvokeResponse>;
  close(): Promise<void>;
}

export interface PluginCapabilities {
  acceptSecrets: boolean;
  acceptResources: boolean;
  acceptOutputs: boolean;
  /** Whether create and update may be called with `preview: true`. */
  supportsPreview: boolean;
}

export interface CheckRequest {
  urn: string;
  /** The inputs of the last deployment; empty for a new resource. */
  olds: PropertyMap;
  /** The inputs as the program gave them. */
  news: PropertyMap;
  /** 32 bytes from which autonames are drawn; the same for a preview's plan and its apply. */
  randomSeed?: Uint8Array;
}
export interface CheckFailure {
  /** Path of the property, for example `type`; empty for the resource as a whole. */
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
  changes: 'unknown' | 'none' | 'some';
  /** Properties whose change asks for a replacement. */
  replaces: string[];
  /** Properties that do not change (with `replaces` and `diffs`, as provider.proto says). */
  stables: string[];
  /** Top-level properties that changed. */
  diffs: string[];
  deleteBeforeReplace: boolean;
  /** Property path → difference; absent when the plugin has none to give. */
  detailedDiff?: Record<string, PropertyDiff>;
}

export interface CreateRequest {
  urn: string;
  properties: PropertyMap;
  preview: boolean;
  /** Seconds; 0 means the plugin's own default. */
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
export interface UpdateRequest {
  urn: string;
  id: string;
  olds: PropertyMap;
  oldInputs: PropertyMap;
  news: PropertyMap;
  ignoreChanges: string[];
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
export interface InvokeResponse {
  result: PropertyMap;
  failures: CheckFailure[];
}

/**
 * A plugin's refusal. With `partial`, the resource exists but is not right yet: the engine keeps it with
 * its `reasons` as `initErrors` (provider.proto, `ErrorResourceInitFailed`), and the next `up` fixes it.
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
