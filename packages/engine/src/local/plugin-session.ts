import type { LimitFunction } from 'p-limit';
import * as rpc from '../plugins/plugin.ts';
import { holdsUnknown, isPropertyMap, type PropertyMap } from '../property-value.ts';
import { annotateSecrets, plain } from './secret-marks.ts';

/** The operations on the resources of one plugin, or on plugin resources. `diff` may throw `DiffUnavailable`. */
export type ResourceOperations = Pick<rpc.Plugin, 'check' | 'diff' | 'create' | 'read' | 'update' | 'delete'>;

/** In a preview, the plugin's settings may not be known yet, so nothing can be compared. */
export class DiffUnavailable extends Error {
  override readonly name = 'DiffUnavailable';
}

/**
 * A configured plugin. Limits concurrent calls, strips what plugins do not know, marks secrets in responses, and
 * answers in place of a plugin whose settings are not known yet (pulumi/pulumi
 * `sdk/go/common/resource/plugin/provider_plugin.go`).
 */
export class PluginSession implements ResourceOperations {
  readonly plugin: rpc.Plugin;
  readonly #limit: LimitFunction;
  readonly #isConfigured: boolean;

  private constructor(plugin: rpc.Plugin, limit: LimitFunction, isConfigured: boolean) {
    this.plugin = plugin;
    this.#limit = limit;
    this.#isConfigured = isConfigured;
  }

  static async configure(
    plugin: rpc.Plugin,
    config: PropertyMap,
    limit: LimitFunction,
  ): Promise<PluginSession> {
    const inputs = plain(config);
    const isKnown = !holdsUnknown(inputs);
    if (isKnown) await plugin.configure({ inputs });
    return new PluginSession(plugin, limit, isKnown);
  }

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    if (!this.#isConfigured) return { inputs: request.news, failures: [] };
    const { inputs, failures } = await this.#limit(() => this.plugin.check(accepted(request)));
    return { inputs: annotateSecrets(inputs, request.news), failures };
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    if (!this.#isConfigured) {
      throw new DiffUnavailable(
        'its plugin’s settings are not known during the preview, so the changes are uncertain',
      );
    }
    return this.#limit(() => this.plugin.diff(accepted(request)));
  }

  async create(request: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    if (request.preview && !this.#isConfigured) return { id: '', properties: {} };
    const created = await this.#call(request.properties, () => this.plugin.create(accepted(request)));
    if (created.id === '' && !request.preview) {
      throw new rpc.PluginError('the plugin returned no id for the resource it created');
    }
    return { id: created.id, properties: annotateSecrets(created.properties, request.properties) };
  }

  async read(request: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    if (!this.#isConfigured) return { id: request.id, inputs: {}, properties: {} };
    const live = await this.#call(request.properties, () => this.plugin.read(accepted(request)));
    return {
      id: live.id,
      inputs: annotateSecrets(live.inputs, request.inputs),
      properties: annotateSecrets(live.properties, request.properties),
    };
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    if (request.preview && !this.#isConfigured) return { properties: {} };
    const updated = await this.#call(request.news, () => this.plugin.update(accepted(request)));
    return { properties: annotateSecrets(updated.properties, request.news) };
  }

  async delete(request: rpc.DeleteRequest): Promise<void> {
    await this.#limit(() => this.plugin.delete(accepted(request)));
  }

  findCreated(request: rpc.FindRequest): Promise<string[]> {
    return this.#limit(() => this.plugin.findCreated(accepted(request)));
  }

  /** Marks secrets in a partial failure too. */
  async #call<T>(sent: PropertyMap, call: () => Promise<T>): Promise<T> {
    try {
      return await this.#limit(call);
    } catch (error) {
      if (!(error instanceof rpc.PluginError) || error.partial === undefined) throw error;
      const { properties, inputs } = error.partial;
      const marked = {
        ...error.partial,
        properties: annotateSecrets(properties, sent),
        inputs: annotateSecrets(inputs, sent),
      };
      throw new rpc.PluginError(error.message, marked, { cause: error });
    }
  }
}

/** A request whose properties have only what plugins know. */
function accepted<Request extends object>(request: Request): Request {
  const fields = Object.entries(request).map(([name, value]) => [
    name,
    isPropertyMap(value) ? plain(value) : value,
  ]);
  return Object.fromEntries(fields) as Request;
}
