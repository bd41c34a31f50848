import type * as rpc from '../../src/plugins/plugin.ts';
import { PluginError } from '../../src/plugins/plugin.ts';
import { type PropertyMap, Secret, Unknown } from '../../src/property-value.ts';

/** Answers every call in a fixed way and keeps what it was asked. */
export class RecordingPlugin implements rpc.Plugin {
  readonly calls: { method: string; request: unknown }[] = [];
  closed = false;

  #record(method: string, request: unknown): void {
    this.calls.push({ method, request });
  }

  async checkConfig(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    this.#record('checkConfig', request);
    return { inputs: request.news, failures: [{ property: 'address', reason: 'is missing' }] };
  }

  async diffConfig(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    this.#record('diffConfig', request);
    return {
      changes: 'some',
      replaces: ['address'],
      diffs: ['address'],
      deleteBeforeReplace: false,
    };
  }

  async configure(request: { inputs: PropertyMap }): Promise<void> {
    this.#record('configure', request);
    if (request.inputs['address'] === 'sealed') throw new PluginError('the service is sealed');
  }

  async check(request: rpc.CheckRequest): Promise<rpc.CheckResponse> {
    this.#record('check', request);
    return {
      inputs: { ...request.news, autonamed: Buffer.from(request.randomSeed ?? []).toString('hex') },
      failures: [{ property: '', reason: 'as a whole' }],
    };
  }

  async diff(request: rpc.DiffRequest): Promise<rpc.DiffResponse> {
    this.#record('diff', request);
    return {
      changes: 'some',
      replaces: ['type'],
      diffs: ['type', 'tune.ttl'],
      deleteBeforeReplace: true,
      detailedDiff: {
        added: { kind: 'add', inputDiff: false },
        type: { kind: 'update-replace', inputDiff: true },
        'tune.ttl': { kind: 'delete', inputDiff: false },
      },
    };
  }

  async create(request: rpc.CreateRequest): Promise<rpc.CreateResponse> {
    this.#record('create', request);
    if (request.properties['half'] === true) {
      throw new PluginError('the mount is there, its config was refused', {
        id: 'jwt',
        properties: { path: 'jwt', key: new Secret('k') },
        inputs: { path: 'jwt' },
        reasons: ['error checking oidc discovery URL', 'second reason'],
      });
    }
    if (request.properties['bad'] === true) throw new PluginError('permission denied');
    return {
      id: request.preview ? '' : 'jwt',
      properties: { ...request.properties, accessor: request.preview ? Unknown.value : 'auth_jwt_1' },
    };
  }

  async read(request: rpc.ReadRequest): Promise<rpc.ReadResponse> {
    this.#record('read', request);
    return request.id === 'gone'
      ? { id: '', inputs: {}, properties: {} }
      : { id: request.id, inputs: { path: 'jwt' }, properties: { path: 'jwt', token: new Secret('t') } };
  }

  async update(request: rpc.UpdateRequest): Promise<rpc.UpdateResponse> {
    this.#record('update', request);
    return { properties: request.news };
  }

  async delete(request: rpc.DeleteRequest): Promise<void> {
    this.#record('delete', request);
  }

  async findCreated(request: rpc.FindRequest): Promise<string[]> {
    this.#record('findCreated', request);
    return [];
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}
