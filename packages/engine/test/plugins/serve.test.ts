// What the real CLI relies on when it attaches to a running plugin: pulumi/pulumi
// sdk/go/common/resource/plugin/provider_plugin.go (NewProvider, handshake, Configure, parseError).

import { type ClientUnaryCall, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pluginPb from '@pulumi/pulumi/proto/plugin_pb.js';
import providerGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { GrpcPlugin } from '../../../../test/harness/grpc-plugin.ts';
import type { Plugin } from '../../src/plugins/plugin.ts';
import { type ServedPlugin, servePlugin } from '../../src/plugins/serve.ts';
import { RecordingPlugin } from './recording-plugin.ts';

describe('servePlugin', () => {
  let plugin: RecordingPlugin;
  let served: ServedPlugin;
  let client: providerGrpc.ResourceProviderClient;

  beforeEach(async () => {
    plugin = new RecordingPlugin();
    served = await servePlugin(() => plugin, 'vault', '7.8.0');
    client = new providerGrpc.ResourceProviderClient(
      `127.0.0.1:${served.port}`,
      credentials.createInsecure(),
    );
  });
  afterEach(async () => {
    client.close();
    await served.close();
  });

  const answered = <Response>(
    call: (done: (error: ServiceError | null, response: Response) => void) => ClientUnaryCall,
  ) =>
    new Promise<Response>((resolve, reject) => {
      call((error, response) => (error === null ? resolve(response) : reject(error)));
    });

  test('leaves the handshake unanswered, so that the CLI goes by what configure says', async () => {
    const handshake = answered((done) => client.handshake(new providerPb.ProviderHandshakeRequest(), done));
    await expect(handshake).rejects.toMatchObject({ code: status.UNIMPLEMENTED });
  });

  test('says its version', async () => {
    const info = await answered<InstanceType<typeof pluginPb.PluginInfo>>((done) =>
      client.getPluginInfo(new emptyPb.Empty(), done),
    );
    expect(info.getVersion()).toBe('7.8.0');
  });

  test('gives a schema that names the package', async () => {
    const answer = await answered<InstanceType<typeof providerPb.GetSchemaResponse>>((done) =>
      client.getSchema(new providerPb.GetSchemaRequest(), done),
    );
    expect(JSON.parse(answer.getSchema())).toEqual({ name: 'vault', version: '7.8.0' });
  });

  test('says in configure what the plugin accepts', async () => {
    const answer = await answered<InstanceType<typeof providerPb.ConfigureResponse>>((done) =>
      client.configure(new providerPb.ConfigureRequest().setArgs(new structPb.Struct()), done),
    );
    expect(answer.toObject()).toMatchObject({
      acceptsecrets: false,
      acceptresources: false,
      supportspreview: true,
    });
  });

  test('answers the read of what is gone without properties, as engines take empty ones for a resource', async () => {
    plugin.read = async () => ({ id: '', inputs: {}, properties: {} });
    const answer = await answered<InstanceType<typeof providerPb.ReadResponse>>((done) =>
      client.read(new providerPb.ReadRequest().setId('jwt'), done),
    );
    expect([answer.getId(), answer.hasProperties(), answer.hasInputs()]).toEqual(['', false, false]);
  });

  test('refuses a function by its name: the plugin has none', async () => {
    const request = new providerPb.InvokeRequest().setTok('vault:index/getPolicyDocument:getPolicyDocument');
    await expect(answered((done) => client.invoke(request, done))).rejects.toThrow(
      /vault plugin does not do the function vault:index\/getPolicyDocument.*--engine pulumi/,
    );
  });

  test('gives each connection a plugin of its own, as the CLI connects once for each configured provider', async () => {
    const opened: RecordingPlugin[] = [];
    const apart = await servePlugin(
      () => opened[opened.push(new RecordingPlugin()) - 1] as Plugin,
      'vault',
      '1',
    );
    const clients = await Promise.all([1, 2].map(() => GrpcPlugin.attach(apart.port)));
    for (const [index, one] of clients.entries()) await one.configure({ inputs: { address: `a${index}` } });
    expect(opened.map(({ calls }) => calls.map(({ request }) => request))).toEqual([
      [{ inputs: { address: 'a0' } }],
      [{ inputs: { address: 'a1' } }],
    ]);
    for (const one of clients) await one.close();
    await apart.close();
    expect(opened.map(({ closed }) => closed)).toEqual([true, true]);
  });

  test('opens another plugin for a connection that has the port of one that ended', async () => {
    const opened: RecordingPlugin[] = [];
    const reused = await servePlugin(
      () => opened[opened.push(new RecordingPlugin()) - 1] as Plugin,
      'vault',
      '1',
    );
    // One connection that begins twice: nobody can choose when the system gives a port again.
    const one = new providerGrpc.ResourceProviderClient(
      `127.0.0.1:${reused.port}`,
      credentials.createInsecure(),
    );
    for (let connection = 0; connection < 2; connection++) {
      await answered((done) => one.attach(new pluginPb.PluginAttach().setAddress('127.0.0.1:1'), done));
      const request = new providerPb.ConfigureRequest().setArgs(new structPb.Struct());
      await answered((done) => one.configure(request, done));
    }
    expect(opened.map(({ calls, closed }) => [calls.length, closed])).toEqual([
      [1, true],
      [1, false],
    ]);
    one.close();
    await reused.close();
  });
});
