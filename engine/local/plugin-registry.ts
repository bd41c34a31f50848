import { randomUUID } from 'node:crypto';
import { GatehouseError } from '../../core/model/values/errors.ts';
import type * as rpc from '../plugins/plugin.ts';
import { equalMaps } from '../property-diff.ts';
import type { PropertyMap } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { packageOf, parsePluginReference, parseUrn } from '../urn.ts';
import { unknownId } from './goal.ts';
import type { CallLimit } from './pacing.ts';
import { PluginSession, type ResourceOperations } from './plugin-session.ts';
import { annotateSecrets, containsUnknowns, forPlugin } from './secret-marks.ts';

/** Makes a new, unconfigured plugin for a package; undefined if there is none. */
export type PluginSource = (
  packageName: string,
  version: string | undefined,
) => Promise<rpc.Plugin | undefined>;

/**
 * The plugins of a deployment, by the reference of their plugin resource. Plugin resources are treated like any other:
 * creating one configures a plugin (pulumi/pulumi `pkg/resource/deploy/providers/registry.go`).
 */
export class PluginRegistry implements ResourceOperations {
  readonly #source: PluginSource;
  readonly #limit: CallLimit;
  readonly #dryRun: boolean;
  readonly #sessions = new Map<string, Promise<PluginSession>>();
  /** Plugins loaded by `check` and not configured yet, by URN. */
  readonly #unconfigured = new Map<string, rpc.Plugin>();
  /** Plugins loaded by `available` and not used yet. */
  readonly #spares = new Map<string, rpc.Plugin>();
  readonly #loaded = new Set<rpc.Plugin>();
  readonly #inputs = new Map<string, PropertyMap>();

  constructor(source: PluginSource, limit: CallLimit, dryRun: boolean) {
    this.#source = source;
    this.#limit = limit;
    this.#dryRun = dryRun;
  }

  async available(packageName: string, version: string | undefined): Promise<boolean> {
    const key = `${packageName}@${version ?? ''}`;
    if (this.#spares.has(key)) return true;
    const plugin = await this.#source(packageName, version);
    if (plugin === undefined) return false;
    this.#loaded.add(plugin);
    this.#spares.set(key, plugin);
    return true;
  }

  /** The inputs that a plugin was configured with in this deployment. */
  inputsOf(reference: string): PropertyMap {
    return settings(this.#inputs.get(reference) ?? {});
  }

  /** The plugin of a resource, whose plugin resource must be registered or ensured. */
  async session(reference: string): Promise<PluginSession> {
    const session = this.#sessions.get(reference);
    if (session !== undefined) return session;
    throw new GatehouseError({
      code: 'engine_plugin_unknown',
      what: 'it refers to a plugin resource that is not registered in this deployment',
      given: reference,
      fix: 'Pass the plugin resource itself as `provider`, or remove the option.',
    });
  }

  /** Configures the plugin of a resource of the last deployment as it was then, unless it is configured. */
  async ensure(
    reference: string,
    find: (urn: string, id: string) => ResourceState | undefined,
  ): Promise<PluginSession> {
    const session = this.#sessions.get(reference);
    if (session !== undefined) return session;
    const { urn, id } = parsePluginReference(reference);
    const row = find(urn, id);
    if (row !== undefined) return this.same(urn, id, row.inputs);
    throw new GatehouseError({
      code: 'engine_plugin_unknown',
      what: 'the state refers to a plugin resource that it does not contain',
      given: reference,
      fix: 'Run `gatehouse up` without --target first.',
    });
  }

  /** Configures an unchanged plugin resource, unless it is configured. */
  same(urn: string, id: string, inputs: PropertyMap): Promise<PluginSession> {
    const reference = `${urn}::${id}`;
    return this.#sessions.get(reference) ?? this.#configure(reference, urn, inputs);
  }

  async check({ urn, olds, news }: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const plugin = await this.#load(urn, news);
    const sent = settings(news);
    const { inputs, failures } = await this.#limit.run(() =>
      plugin.checkConfig({ urn, olds: plain(settings(olds)), news: plain(sent) }),
    );
    this.#unconfigured.set(urn, plugin);
    const internal = news['__internal'];
    const checked = annotateSecrets(inputs, sent);
    return { inputs: internal === undefined ? checked : { ...checked, __internal: internal }, failures };
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const { urn, id, olds, oldInputs, news, ignoreChanges } = request;
    const plugin = this.#unconfigured.get(urn) ?? (await this.session(`${urn}::${id}`)).plugin;
    const diff = await this.#limit.run(() =>
      plugin.diffConfig({
        urn,
        id,
        olds: plain(olds),
        oldInputs: plain(settings(oldInputs)),
        news: plain(settings(news)),
        ignoreChanges,
      }),
    );
    if (diff.changes !== 'unknown') return diff;
    return { ...diff, changes: equalMaps(olds, settings(news)) ? 'none' : 'some' };
  }

  async create({ urn, properties }: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    const id = this.#dryRun ? unknownId : randomUUID();
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
    const plugin = checked ?? (await this.#load(urn, inputs));
    const sent = settings(inputs);
    return PluginSession.configure(plugin, containsUnknowns(sent) ? sent : plain(sent), this.#limit);
  }

  async #load(urn: string, inputs: PropertyMap): Promise<rpc.Plugin> {
    const packageName = packageOf(parseUrn(urn).type);
    const version = typeof inputs['version'] === 'string' ? inputs['version'] : undefined;
    const key = `${packageName}@${version ?? ''}`;
    const spare = this.#spares.get(key);
    this.#spares.delete(key);
    const plugin = spare ?? (await this.#source(packageName, version));
    if (plugin === undefined) throw noPlugin(packageName);
    this.#loaded.add(plugin);
    return plugin;
  }
}

export function noPlugin(packageName: string): GatehouseError {
  return new GatehouseError({
    code: 'engine_plugin_missing',
    what: `the local engine has no plugin for the package ${packageName}`,
    fix: `Use --engine pulumi, or put the binary pulumi-resource-${packageName} on the PATH.`,
  });
}

/** The inputs without what the engine stores with them. */
function settings(inputs: PropertyMap): PropertyMap {
  if (!('__internal' in inputs)) return inputs;
  const { __internal: _, ...rest } = inputs;
  return rest;
}

/** Settings go to a plugin in plain text: what it accepts is only known once it is configured. */
function plain(inputs: PropertyMap): PropertyMap {
  return forPlugin(inputs, { secrets: false, resources: false });
}
