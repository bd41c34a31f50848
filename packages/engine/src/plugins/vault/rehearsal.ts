import { isObject } from '@gatehouse/core/values';
import { type ExchangeRequest, ServiceClient } from '@gatehouse/service-client';
import type { Step } from '../../engine.ts';
import { holdsUnknown } from '../../property-value.ts';
import { VaultPlugin } from './vault-plugin.ts';

/** A request that a step of a plan will send, without what is in it. */
export interface RehearsedRequest {
  step: Step;
  operation: 'read' | 'write' | 'delete';
  path: string;
  /** Relative to that of the provider. Empty for that one. */
  namespace: string;
}

/** Stands for an id that the service draws, in the paths of a rehearsal. */
export const drawnId = 'drawn';

/**
 * The requests of a plan's steps: the plugin makes each step against a service that is not there, so there is no second list
 * of paths. A lookup before the first write is left out, as the official plugin makes others.
 *
 * @param steps those of other plugins, or in a namespace that is not known yet, send nothing
 */
export async function rehearse(steps: readonly Step[]): Promise<RehearsedRequest[]> {
  const requests = await Promise.all(steps.map(requestsOf));
  return requests.flat();
}

async function requestsOf(step: Step): Promise<RehearsedRequest[]> {
  const run = runs[step.op];
  if (run === undefined || !VaultPlugin.makes(step.type)) return [];
  if (holdsUnknown((step.newState ?? step.oldState)?.inputs['namespace'])) return [];
  const requests: RehearsedRequest[] = [];
  const service = new EmptyService(step, requests);
  const client = new ServiceClient({ address: 'http://rehearsal.invalid' }, service);
  const plugin = new VaultPlugin({}, { client, version: undefined, close: async () => {} });
  // The steps after an invented answer are unknown.
  await run(plugin, step).catch(() => {});
  return requests;
}

const create = async (plugin: VaultPlugin, { urn, newState }: Step) =>
  await plugin.create({ urn, properties: newState?.inputs ?? {}, preview: false, timeout: 0 });
const remove = async (plugin: VaultPlugin, { urn, oldState }: Step) => {
  const { id = '', inputs: oldInputs = {}, outputs: properties = {} } = oldState ?? {};
  await plugin.delete({ urn, id, oldInputs, properties, timeout: 0 });
};
const runs: Partial<Record<Step['op'], (plugin: VaultPlugin, step: Step) => Promise<unknown>>> = {
  create,
  'create-replacement': create,
  async update(plugin, { urn, oldState, newState }) {
    const { id = '', inputs: oldInputs = {}, outputs: olds = {} } = oldState ?? {};
    const { inputs: news = {} } = newState ?? {};
    await plugin.update({ urn, id, olds, news, oldInputs, ignoreChanges: [], preview: false, timeout: 0 });
  },
  delete: remove,
  'delete-replaced': remove,
};

/** Has the resource of a step, or nothing, and takes every write. */
class EmptyService {
  readonly #step: Step;
  readonly #requests: RehearsedRequest[];
  #isThere: boolean;
  #isWritten = false;

  constructor(step: Step, requests: RehearsedRequest[]) {
    this.#step = step;
    this.#requests = requests;
    this.#isThere = step.oldState !== undefined && !step.op.startsWith('create');
  }

  async send(url: string, { method, headers = {} }: ExchangeRequest) {
    const { pathname, search } = new URL(url, 'http://rehearsal.invalid');
    const path = pathname.split('/').slice(2).map(decodeURIComponent).join('/');
    const operation = method === 'GET' ? 'read' : method === 'DELETE' ? 'delete' : 'write';
    this.#isWritten ||= operation !== 'read';
    if (this.#isWritten && search === '') {
      const namespace = String(headers['X-Vault-Namespace'] ?? '');
      this.#requests.push({ step: this.#step, operation, path, namespace });
    }
    if (operation !== 'read') this.#isThere = operation === 'write';
    if (operation === 'delete') return answerOf(204);
    // A mount is known by its accessor: without it, it is looked for at other paths.
    const accessor = this.#step.oldState?.outputs['accessor'];
    return this.#isThere ? answerOf(200, { data: { id: drawnId, accessor } }) : answerOf(404);
  }

  close(): void {}
}

function answerOf(status: number, body?: object) {
  return { status, headers: {}, body: Buffer.from(isObject(body) ? JSON.stringify(body) : '') };
}
