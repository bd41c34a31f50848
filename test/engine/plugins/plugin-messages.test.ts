// Follows pulumi/pulumi sdk/go/common/resource/plugin/provider_plugin.go.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type Plugin, PluginError } from '../../../engine/plugins/plugin.ts';
import { type ServedPlugin, servePlugin } from '../../../engine/plugins/serve.ts';
import { Secret, Unknown } from '../../../engine/property-value.ts';
import { GrpcPlugin } from '../../harness/grpc-plugin.ts';
import { RecordingPlugin } from './recording-plugin.ts';

const urn = 'urn:pulumi:dev::gatehouse::gatehouse:index:AuthMethod$vault:jwt/authBackend:AuthBackend::staff';

const calls: [string, (plugin: Plugin) => Promise<unknown>][] = [
  ['checkConfig', (plugin) => plugin.checkConfig({ urn, olds: {}, news: { address: 'http://127.0.0.1' } })],
  [
    'diffConfig',
    (plugin) =>
      plugin.diffConfig({
        urn,
        id: 'x',
        olds: { a: 1 },
        oldInputs: { a: 1 },
        news: { a: 2 },
        ignoreChanges: [],
      }),
  ],
  [
    'check with a seed',
    (plugin) =>
      plugin.check({
        urn,
        olds: { a: null },
        news: { a: Unknown.value },
        randomSeed: new Uint8Array([1, 2, 255]),
      }),
  ],
  [
    'check without a seed',
    (plugin) => plugin.check({ urn, olds: {}, news: { list: [1, 'x', { deep: true }] } }),
  ],
  [
    'diff',
    (plugin) =>
      plugin.diff({
        urn,
        id: 'jwt',
        olds: {},
        oldInputs: {},
        news: { type: 'oidc' },
        ignoreChanges: ['tune'],
      }),
  ],
  ['create', (plugin) => plugin.create({ urn, properties: { path: 'jwt' }, preview: false, timeout: 90 })],
  [
    'create in a preview',
    (plugin) => plugin.create({ urn, properties: { path: Unknown.value }, preview: true, timeout: 0 }),
  ],
  ['read', (plugin) => plugin.read({ urn, id: 'jwt', inputs: {}, properties: { path: 'jwt' } })],
  ['read of what is gone', (plugin) => plugin.read({ urn, id: 'gone', inputs: {}, properties: {} })],
  [
    'update',
    (plugin) =>
      plugin.update({
        urn,
        id: 'jwt',
        olds: { path: 'jwt' },
        oldInputs: { path: 'jwt' },
        news: { path: 'jwt2' },
        ignoreChanges: ['description'],
        preview: false,
        timeout: 1.5,
      }),
  ],
  [
    'delete',
    (plugin) =>
      plugin.delete({ urn, id: 'jwt', properties: { path: 'jwt' }, oldInputs: { a: 1 }, timeout: 0 }),
  ],
  ['configure', (plugin) => plugin.configure({ inputs: { address: 'http://127.0.0.1' } })],
  ['a refusal', (plugin) => plugin.create({ urn, properties: { bad: true }, preview: false, timeout: 0 })],
  [
    'a partial failure',
    (plugin) => plugin.create({ urn, properties: { half: true }, preview: false, timeout: 0 }),
  ],
  ['a refused configuration', (plugin) => plugin.configure({ inputs: { address: 'sealed' } })],
];

/** What a call came to: its answer, or the refusal in a form that can be compared. */
const outcome = (answer: Promise<unknown>) =>
  answer.catch((error: PluginError) => ({
    refused: error instanceof PluginError,
    message: error.message,
    partial: error.partial,
  }));

describe('a plugin behind gRPC', () => {
  let recording: RecordingPlugin;
  let served: ServedPlugin;
  let plugin: GrpcPlugin;

  beforeEach(async () => {
    recording = new RecordingPlugin();
    served = await servePlugin(() => recording, 'vault', '7.8.0');
    plugin = await GrpcPlugin.attach(served.port);
  });
  afterEach(async () => {
    await plugin.close();
    await served.close();
  });

  test.each(calls)('%s: answers as it does when called directly', async (_, call) => {
    const direct = await outcome(call(new RecordingPlugin()));
    expect(await outcome(call(plugin))).toEqual(direct);
  });

  test.each(calls)('%s: is asked what it is asked when called directly', async (_, call) => {
    const direct = new RecordingPlugin();
    await outcome(call(direct));
    await outcome(call(plugin));
    expect(recording.calls).toEqual(direct.calls);
  });

  test('is configured without secret marks, whatever it accepts', async () => {
    await plugin.configure({ inputs: { token: new Secret('t') } });
    expect(recording.calls.at(-1)?.request).toEqual({ inputs: { token: 't' } });
  });

  test('is a refusal, not a hang, once it has stopped', async () => {
    await served.close();
    await expect(plugin.read({ urn, id: 'jwt', inputs: {}, properties: {} })).rejects.toBeInstanceOf(
      PluginError,
    );
  });
});
