import * as rpc from '../plugins/plugin.ts';
import { isPropertyMap, type PropertyMap } from '../property-value.ts';
import type { CallLimit } from './pacing.ts';
import { annotateSecrets, containsUnknowns, forPlugin } from './secret-marks.ts';

/** The operations on the resources of one plugin, or on plugin resources. `diff` may throw `DiffUnavailable`. */
export type ResourceOperations = Pick<rpc.Plugin, 'check' | 'diff' | 'create' | 'read' | 'update' | 'delete'>;

/** In a preview, the plugin's settings may not be known yet, so nothing can be compared. */
export class DiffUnavailable extends Error {
  override readonly name = 'DiffUnavailable';
}

/**
 * A configured plugin. Limits concurrent calls, strips values that the plugin does not accept, marks secrets in
 * responses, and answers in place of a plugin whose settings are not known yet (pulumi/pulumi
 * `sdk/go/common/resource/plugin/provider_plugin.go`).
 */
export class PluginSession implements ResourceOperations {
  readonly plugin: rpc.Plugin;
  readonly #limit: CallLimit;
  /** Undefined until the settings are known. */
  readonly #capabilities: rpc.PluginCapabilities | undefined;

  private constructor(plugin: rpc.Plugin, limit: CallLimit, capabilities?: rpc.PluginCapabilities) {
    this.plugin = plugin;
    this.#limit = limit;
    this.#capabilities = capabilities;
  }

  static async configure(plugin: rpc.Plugin, inputs: PropertyMap, limit: CallLimit): Promise<PluginSession> {
    if (containsUnknowns(inputs)) return new PluginSession(plugin, limit);
    return new PluginSession(plugin, limit, await plugin.configure({ inputs }));
  }

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    if (this.#capabilities === undefined) return { inputs: request.news, failures: [] };
    const { inputs, failures } = await this.#limit.run(() => this.plugin.check(this.#accepted(request)));
    return { inputs: this.#marked(inputs, request.news), failures };
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    if (this.#capabilities === undefined) {
      throw new DiffUnavailable(
        'its plugin’s settings are not known during the preview, so the changes are uncertain',
      );
    }
    return this.#limit.run(() => this.plugin.diff(this.#accepted(request)));
  }

  async create(request: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    if (request.preview && this.#capabilities === undefined) return { id: '', properties: {} };
    if (request.preview && this.#capabilities?.supportsPreview !== true) {
      return { id: '', properties: request.properties };
    }
    const created = await this.#call(request.properties, () => this.plugin.create(this.#accepted(request)));
    if (created.id === '' && !request.preview) {
      throw new rpc.PluginError('the plugin returned no id for the resource it created');
    }
    return { id: created.id, properties: this.#marked(created.properties, request.properties) };
  }

  async read(request: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    if (this.#capabilities === undefined) return { id: request.id, inputs: {}, properties: {} };
    const found = await this.#call(request.properties, () => this.plugin.read(this.#accepted(request)));
    return {
      id: found.id,
      inputs: this.#marked(found.inputs, request.inputs),
      properties: this.#marked(found.properties, request.properties),
    };
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    if (request.preview && this.#capabilities === undefined) return { properties: {} };
    if (request.preview && this.#capabilities?.supportsPreview !== true) return { properties: request.news };
    const updated = await this.#call(request.news, () => this.plugin.update(this.#accepted(request)));
    return { properties: this.#marked(updated.properties, request.news) };
  }

  async delete(request: rpc.DeleteRequest): Promise<void> {
    await this.#limit.run(() => this.plugin.delete(this.#accepted(request)));
  }

  invoke(token: string, args: PropertyMap): Promise<rpc.InvokeResponse> {
    return this.#limit.run(() => this.plugin.invoke(this.#accepted({ token, args })));
  }

  /** Marks secrets in a partial failure too. */
  async #call<T>(sent: PropertyMap, call: () => Promise<T>): Promise<T> {
    try {
      return await this.#limit.run(call);
    } catch (error) {
      if (!(error instanceof rpc.PluginError) || error.partial === undefined) throw error;
      const { properties, inputs } = error.partial;
      const marked = {
        ...error.partial,
        properties: this.#marked(properties, sent),
        inputs: this.#marked(inputs, sent),
      };
      throw new rpc.PluginError(error.message, marked, { cause: error });
    }
  }

  /** A request whose properties have only what the plugin accepts. */
  #accepted<Request extends object>(request: Request): Request {
    const { acceptSecrets = false, acceptResources = false } = this.#capabilities ?? {};
    const fields = Object.entries(request).map(([name, value]) => [
      name,
      isPropertyMap(value) ? forPlugin(value, { secrets: acceptSecrets, resources: acceptResources }) : value,
    ]);
    return Object.fromEntries(fields) as Request;
  }

  #marked(outs: PropertyMap, ins: PropertyMap): PropertyMap {
    return this.#capabilities?.acceptSecrets === true ? outs : annotateSecrets(outs, ins);
  }
}
