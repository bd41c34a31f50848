import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ServedPlugin, servePlugin } from '../../engine/plugins/serve.ts';
import { VaultPlugin } from '../../engine/plugins/vault/vault-plugin.ts';
import { GrpcPlugin } from '../harness/grpc-plugin.ts';
import { call, type Names, type PluginCall, pluginCalls } from './plugin-calls.ts';
import type { Recording } from './recorded.ts';
import { startServiceOfThen } from './service-of-then.ts';

/** In the order in which they were made. */
const replayed: Recording[] = [
  ...(['noop', 'preview-update', 'up-update', 'preview-refresh-drift', 'refresh-drift'] as const),
  ...(['up-after-drift', 'preview-remount', 'up-remount', 'destroy', 'up-create'] as const),
];

/** How the plugin answers otherwise than when it was recorded, and why. */
const changedSince = [
  {
    why: 'what is not there is answered without properties and inputs, or the engine takes it for a resource',
    applies: ({ method, response }: PluginCall) => method === 'Read' && response['id'] === undefined,
    now: () => ({}),
  },
  {
    why: 'what keeps its path or name is deleted before it is replaced, whoever asks for that',
    applies: ({ method, request, response }: PluginCall) =>
      method === 'Diff' &&
      /\bvault:(index\/policy|jwt|identity\/group:)/.test(String(request['urn'])) &&
      !Object.keys(response['detailedDiff'] ?? {}).some((name) => ['path', 'backend', 'name'].includes(name)),
    now: (response: PluginCall['response']) => ({ ...response, deleteBeforeReplace: true }),
  },
];

describe('the plugin answers each call that a real engine made as it did then', () => {
  let service: Awaited<ReturnType<typeof startServiceOfThen>>;
  let served: ServedPlugin;
  let names: Names;
  const opened: GrpcPlugin[] = [];
  beforeAll(async () => {
    service = await startServiceOfThen();
    served = await servePlugin(() => new VaultPlugin({ VAULT_TOKEN: service.token }), 'vault', '7.8.0');
    names = service.names;
    await seed();
  });
  afterAll(async () => {
    for (const plugin of opened) await plugin.close();
    await served.close();
    await service.close();
  });

  async function open(): Promise<GrpcPlugin> {
    const plugin = await GrpcPlugin.attach(served.port);
    opened.push(plugin);
    return plugin;
  }

  /** The service as it was before the first recording: what was in the state, made in its order. */
  async function seed(): Promise<void> {
    const plugin = await open();
    for (const { method, request } of pluginCalls('noop')) {
      if (method === 'Configure') await call(plugin, { method, request: names.renewed(request) });
      if (method !== 'Diff') continue;
      const { urn, id, olds, oldInputs } = request;
      const created = await call(plugin, {
        method: 'Create',
        request: names.renewed({ urn: urn ?? '', properties: oldInputs ?? {} }),
      });
      names.learn({ id: id ?? '', properties: olds ?? {} }, created);
    }
  }

  test.each(replayed)('%s', async (recording) => {
    if (recording === 'preview-refresh-drift') await service.drift();
    let plugin = await open();
    const different: object[] = [];
    for (const recorded of pluginCalls(recording)) {
      const { method, request, response } = recorded;
      // A refresh before a preview configures another plugin. What only greets has no answer to compare.
      if (method === 'Attach') plugin = await open();
      if (['Attach', 'Handshake', 'GetPluginInfo', 'Cancel'].includes(method)) continue;
      const actual = await call(plugin, { method, request: names.renewed(request) });
      names.learn(response, actual);
      const change = changedSince.find(({ applies }) => applies(recorded));
      const expected = change?.now(response) ?? response;
      const answer = names.original(actual);
      if (!isDeepStrictEqual(answer, expected))
        different.push({ method, urn: request['urn'], expected, answer });
    }
    expect(different).toEqual([]);
  });
});
