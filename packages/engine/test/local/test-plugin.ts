import type * as rpc from '../../src/plugins/plugin.ts';
import { PluginError } from '../../src/plugins/plugin.ts';
import { type PropertyMap, type PropertyValue, Unknown } from '../../src/property-value.ts';

/** What the plugins of one test work on: a service in memory, and a log of the calls that reached it. */
export class TestService {
  /** Id → properties. */
  readonly objects = new Map<string, PropertyMap>();
  readonly calls: string[] = [];
  readonly configured: PropertyMap[] = [];
  /** Called before each create, update and delete; what it throws is the plugin's answer. */
  intercept: (operation: string, name: string, properties: PropertyMap, id: string) => void | Promise<void> =
    () => {};
  findCreated: ((properties: PropertyMap) => string[]) | undefined;
  /** How many calls are under way now, and were at most. */
  inFlight = 0;
  mostInFlight = 0;
  nextId = 1;
  /** The id of what is made next. */
  idOf: (name: string) => string = () => `id-${this.nextId++}`;
  /** Every read fails. */
  unreadable = false;

  /** From now on refuses an operation, or all on the resource of a name. */
  refuse(what: string, message = 'the service says no'): void {
    this.intercept = (operation, name) => {
      if (operation === what || name === what) throw new PluginError(message);
    };
  }

  /** The calls of these operations, in order. */
  changes(...operations: string[]): string[] {
    return this.calls.filter((call) => operations.includes(call.split(' ')[0] ?? ''));
  }
}

/**
 * A plugin for tests, package `test`. Every input becomes an output; `computed` is made by the service. A change of
 * `kind` replaces; one of `place` replaces and deletes first. `fixedId` makes the id follow the inputs.
 */
export class TestPlugin implements rpc.Plugin {
  readonly #service: TestService;

  constructor(service: TestService) {
    this.#service = service;
  }

  async checkConfig({ news }: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    return { inputs: news, failures: [] };
  }

  async diffConfig({ oldInputs, news }: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const changed = changedKeys(oldInputs, news);
    return {
      changes: changed.length === 0 ? 'none' : 'some',
      replaces: changed.filter((key) => key === 'region'),
      diffs: changed,
      deleteBeforeReplace: false,
    };
  }

  async configure({ inputs }: { inputs: PropertyMap }): Promise<void> {
    if (inputs['broken'] === 'yes') throw new PluginError('the service cannot be reached');
    this.#service.configured.push(inputs);
  }

  async check({ olds, news, randomSeed }: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    const failures = news['invalid'] === undefined ? [] : [{ property: 'invalid', reason: 'not allowed' }];
    const inputs: PropertyMap = { ...news };
    if (news['autoname'] === true)
      inputs['physicalName'] =
        olds['physicalName'] ?? `name-${Buffer.from(randomSeed ?? []).toString('hex')}`;
    return { inputs, failures };
  }

  async diff({ olds, oldInputs, news, ignoreChanges }: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    const before = { ...oldInputs };
    for (const key of Object.keys(oldInputs))
      if (key in olds && key !== 'secret') before[key] = olds[key] as PropertyValue;
    const changed = changedKeys(before, news).filter((key) => !ignoreChanges.includes(key));
    return {
      changes: changed.length === 0 ? 'none' : 'some',
      replaces: changed.filter((key) => key === 'kind' || key === 'place'),
      diffs: changed,
      deleteBeforeReplace: changed.includes('place'),
      detailedDiff: Object.fromEntries(
        changed.map((key) => [
          key,
          { kind: !(key in before) ? 'add' : !(key in news) ? 'delete' : 'update', inputDiff: false },
        ]),
      ),
    };
  }

  async create({ urn, properties, preview }: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    if (preview) return { id: '', properties: { ...properties, computed: Unknown.value } };
    const { fixedId } = properties;
    const id = typeof fixedId === 'string' ? fixedId : this.#service.idOf(nameOf(urn));
    const outputs = { ...properties, computed: `made ${id}` };
    await this.#call('create', urn, properties, id);
    this.#service.objects.set(id, outputs);
    return { id, properties: outputs };
  }

  async read({ urn, id, inputs }: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    this.#service.calls.push(`read ${nameOf(urn)}`);
    if (this.#service.unreadable) throw new PluginError('the service cannot be reached');
    const found = this.#service.objects.get(id);
    if (found === undefined) return { id: '', inputs: {}, properties: {} };
    const { computed: _, ...declared } = found;
    const names = Object.keys(inputs).length === 0 ? Object.keys(declared) : Object.keys(inputs);
    const read = Object.fromEntries(
      names.filter((key) => key in declared).map((key) => [key, declared[key] as PropertyValue]),
    );
    return { id, inputs: read, properties: found };
  }

  async update({ urn, id, news, preview }: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    const outputs = { ...news, computed: `made ${id}` };
    if (preview) return { properties: outputs };
    await this.#call('update', urn, news, id);
    this.#service.objects.set(id, outputs);
    return { properties: outputs };
  }

  async delete({ urn, id, properties }: rpc.DeleteRequest): Promise<void> {
    await this.#call('delete', urn, properties, id);
    this.#service.objects.delete(id);
  }

  async findCreated({ properties }: rpc.FindRequest): Promise<string[]> {
    const { findCreated } = this.#service;
    if (findCreated === undefined) throw new PluginError('it cannot look');
    return findCreated(properties);
  }

  async close(): Promise<void> {}

  async #call(operation: string, urn: string, properties: PropertyMap, id: string): Promise<void> {
    const service = this.#service;
    const name = nameOf(urn);
    service.calls.push(`${operation} ${name}`);
    service.mostInFlight = Math.max(service.mostInFlight, ++service.inFlight);
    try {
      await service.intercept(operation, name, properties, id);
      await new Promise((resolve) => setImmediate(resolve));
    } catch (error) {
      if (error instanceof PluginError && error.partial !== undefined)
        service.objects.set(error.partial.id || id, properties);
      throw error;
    } finally {
      service.inFlight--;
    }
    service.calls.push(`${operation}d ${name}`);
  }
}

function changedKeys(olds: PropertyMap, news: PropertyMap): string[] {
  return [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter(
    (key) => news[key] instanceof Unknown || JSON.stringify(olds[key]) !== JSON.stringify(news[key]),
  );
}

function nameOf(urn: string): string {
  return urn.split('::').slice(3).join('::');
}
