import { randomUUID } from 'node:crypto';
import { GatehouseError, unknownText } from '@gatehouse/core/values';
import type { LimitFunction } from 'p-limit';
import type * as rpc from '../plugins/plugin.ts';
import type { PropertyMap } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { packageOf, parsePluginReference, parseUrn } from '../urn.ts';
import { PluginSession, type ResourceOperations } from './plugin-session.ts';
import { annotateSecrets, plain } from './secret-marks.ts';

/** By package, what makes a new, unconfigured plugin. */
export type PluginSources = Readonly<Record<string, () => Promise<rpc.Plugin>>>;

/**
 * The plugins of a deployment, by the reference of their plugin resource. Plugin resources are treated like any other:
 * creating one configures a plugin (pulumi/pulumi `pkg/resource/deploy/providers/registry.go`).
 */
export class PluginRegistry implements ResourceOperations {
  readonly #sources: PluginSources;
  readonly #limit: LimitFunction;
  readonly #dryRun: boolean;
  readonly #sessions = new Map<string, Promise<PluginSession>>();
  /** Plugins loaded by `check` and not configured yet, by URN. */
  readonly #unconfigured = new Map<string, rpc.Plugin>();
  readonly #loaded = new Set<rpc.Plugin>();
  readonly #inputs = new Map<string, PropertyMap>();

  constructor(sources: PluginSources, limit: LimitFunction, dryRun: boolean) {
    this.#sources = sources;
    this.#limit = limit;
    this.#dryRun = dryRun;
  }

  /** What makes a plugin of a package. @throws GatehouseError `engine_plugin_missing` */
  sourceOf(packageName: string): () => Promise<rpc.Plugin> {
    const source = Object.hasOwn(this.#sources, packageName) ? this.#sources[packageName] : undefined;
    if (source !== undefined) return source;
    throw new GatehouseError('engine_plugin_missing', {
      allowed: Object.keys(this.#sources).join(', '),
      values: { name: packageName },
    });
  }

  /** The inputs that a plugin was configured with in this deployment. */
  inputsOf(reference: string): PropertyMap {
    return settings(this.#inputs.get(reference) ?? {});
  }

  /**
   * The plugin of a resource. One that the program has not registered is configured as it was in the last deployment.
   */
  async session(
    reference: string,
    find: (urn: string, id: string) => ResourceState | undefined,
  ): Promise<PluginSession> {
    const session = this.#sessions.get(reference);
    if (session !== undefined) return session;
    const { urn, id } = parsePluginReference(reference);
    const row = find(urn, id);
    if (row !== undefined) return this.same(urn, id, row.inputs);
    throw new GatehouseError('engine_plugin_unknown', { given: reference });
  }

  /** Configures an unchanged plugin resource, unless it is configured. */
  same(urn: string, id: string, inputs: PropertyMap): Promise<PluginSession> {
    const reference = `${urn}::${id}`;
    return this.#sessions.get(reference) ?? this.#configure(reference, urn, inputs);
  }

  async check({ urn, olds, news }: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const plugin = await this.#load(urn);
    const sent = settings(news);
    const { inputs, failures } = await this.#limit(() =>
      plugin.checkConfig({ urn, olds: plain(settings(olds)), news: plain(sent) }),
    );
    this.#unconfigured.set(urn, plugin);
    const internal = news['__internal'];
    const checked = annotateSecrets(inputs, sent);
    return { inputs: internal === undefined ? checked : { ...checked, __internal: internal }, failures };
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const { urn, id, olds, oldInputs, news, ignoreChanges } = request;
    const plugin =
      this.#unconfigured.get(urn) ?? (await this.session(`${urn}::${id}`, () => undefined)).plugin;
    return this.#limit(() =>
      plugin.diffConfig({
        urn,
        id,
        olds: plain(olds),
        oldInputs: plain(settings(oldInputs)),
        news: plain(settings(news)),
        ignoreChanges,
      }),
    );
  }

  async create({ urn, properties }: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const id = this.#dryRun ? unknownText : randomUUID();
    await this.#configure(`${urn}::${id}`, urn, properties);
    return { id, properties: settings(properties) };
  }

  async update({ urn, id, news }: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    await this.#configure(`${urn}::${id}`, urn, news);
    return { properties: settings(news) };
  }

  async read({ id, inputs, properties }: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    return { id, inputs, properties };
  }

  /** Changes nothing on the service; `close` closes the plugin. */
  async delete(_request: rpc.DeleteRequest): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all([...this.#loaded].map((plugin) => plugin.close()));
  }

  #configure(reference: string, urn: string, inputs: PropertyMap): Promise<PluginSession> {
    const session = this.#start(urn, inputs);
    this.#sessions.set(reference, session);
    this.#inputs.set(reference, inputs);
    // The resources that need the plugin report the failure.
    session.catch(() => this.#sessions.delete(reference));
    return session;
  }

  async #start(urn: string, inputs: PropertyMap): Promise<PluginSession> {
    const checked = this.#unconfigured.get(urn);
    this.#unconfigured.delete(urn);
    return PluginSession.configure(checked ?? (await this.#load(urn)), settings(inputs), this.#limit);
  }

  async #load(urn: string): Promise<rpc.Plugin> {
    const plugin = await this.sourceOf(packageOf(parseUrn(urn).type))();
    this.#loaded.add(plugin);
    return plugin;
  }
}

/** The inputs without what the engine stores with them. */
function settings(inputs: PropertyMap): PropertyMap {
  if (!('__internal' in inputs)) return inputs;
  const { __internal: _, ...rest } = inputs;
  return rest;
}
