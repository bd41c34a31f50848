// Follows pulumi/pulumi sdk/go/common/resource/plugin/provider_plugin.go.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GrpcPlugin } from '../../../../test/harness/grpc-plugin.ts';
import { type Plugin, PluginError } from '../../src/plugins/plugin.ts';
import { type ServedPlugin, servePlugin } from '../../src/plugins/serve.ts';
import { Secret, Unknown } from '../../src/property-value.ts';
import { RecordingPlugin } from './recording-plugin.ts';

const urn = 'urn:pulumi:dev::gatehouse::gatehouse:index:AuthMethod$vault:jwt/authBackend:AuthBackend::staff';

type Call = { [Method in keyof Plugin]: [Method, Parameters<Plugin[Method]>[0]] }[keyof Plugin];

const none = { urn, id: 'jwt', olds: {}, oldInputs: {}, ignoreChanges: [] };
const request = { urn, preview: false, timeout: 0 };
const randomSeed = new Uint8Array([1, 2, 255]);
const changed = { ...none, olds: { path: 'jwt' }, news: { path: 'jwt2' }, ignoreChanges: ['a'] };
const calls: [string, Call][] = [
  ['checkConfig', ['checkConfig', { urn, olds: {}, news: { address: 'http://127.0.0.1' } }]],
  ['diffConfig', ['diffConfig', { ...none, olds: { a: 1 }, oldInputs: { a: 1 }, news: { a: 2 } }]],
  ['check with a seed', ['check', { urn, olds: { a: null }, news: { a: Unknown.value }, randomSeed }]],
  ['check without a seed', ['check', { urn, olds: {}, news: { list: [1, 'x', { deep: true }] } }]],
  ['diff', ['diff', { ...none, news: { type: 'oidc' }, ignoreChanges: ['tune'] }]],
  ['create', ['create', { ...request, properties: { path: 'jwt' }, timeout: 90 }]],
  ['create in a preview', ['create', { ...request, properties: { path: Unknown.value }, preview: true }]],
  ['read', ['read', { urn, id: 'jwt', inputs: {}, properties: { path: 'jwt' } }]],
  ['read of what is gone', ['read', { urn, id: 'gone', inputs: {}, properties: {} }]],
  ['update', ['update', { ...changed, preview: false, timeout: 1.5 }]],
  ['delete', ['delete', { urn, id: 'jwt', properties: { path: 'jwt' }, oldInputs: { a: 1 }, timeout: 0 }]],
  ['configure', ['configure', { inputs: { address: 'http://127.0.0.1' } }]],
  ['a refusal', ['create', { ...request, properties: { bad: true } }]],
  ['a partial failure', ['create', { ...request, properties: { half: true } }]],
  ['a refused configuration', ['configure', { inputs: { address: 'sealed' } }]],
];

const ask = (plugin: Plugin, [method, request]: Call) =>
  (plugin[method] as (given: unknown) => Promise<unknown>)(request);

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

  test.each(calls)('%s: is asked, and answers, as when it is called directly', async (_, call) => {
    const direct = new RecordingPlugin();
    const expected = await outcome(ask(direct, call));
    expect(await outcome(ask(plugin, call))).toEqual(expected);
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
