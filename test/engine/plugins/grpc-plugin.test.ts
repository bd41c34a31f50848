// Follows pulumi/pulumi sdk/go/common/resource/plugin/provider_plugin.go and plugin.go.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GrpcPlugin } from '../../../engine/plugins/grpc-plugin.ts';
import { type Plugin, PluginError } from '../../../engine/plugins/plugin.ts';
import { type ServedPlugin, servePlugin } from '../../../engine/plugins/serve.ts';
import { ResourceReference, Secret, Unknown } from '../../../engine/property-value.ts';
import { RecordingPlugin } from './recording-plugin.ts';

const urn = 'urn:pulumi:dev::gatehouse::gatehouse:index:AuthMethod$vault:jwt/authBackend:AuthBackend::staff';
const engineAddress = '127.0.0.1:1';

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
  ['invoke', (plugin) => plugin.invoke({ token: 'vault:index/f:f', args: { path: ['a', null] } })],
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
    plugin = await GrpcPlugin.attach('vault', served.port, engineAddress);
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

  test('sees no secrets and no references when it does not accept them', async () => {
    await plugin.configure({ inputs: {} });
    const properties = { key: new Secret('k'), mount: new ResourceReference(urn, 'jwt') };
    await plugin.create({ urn, properties, preview: false, timeout: 0 });
    expect(recording.calls.at(-1)?.request).toMatchObject({ properties: { key: 'k', mount: 'jwt' } });
  });

  test('sees secrets and references when it accepts them', async () => {
    recording.capabilities = { ...recording.capabilities, acceptSecrets: true, acceptResources: true };
    await plugin.configure({ inputs: {} });
    const properties = { key: new Secret('k'), mount: new ResourceReference(urn, 'jwt') };
    await plugin.create({ urn, properties, preview: false, timeout: 0 });
    expect(recording.calls.at(-1)?.request).toMatchObject({ properties });
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

describe('a plugin binary', () => {
  let home: string;
  let env: NodeJS.ProcessEnv;
  let served: ServedPlugin;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'gatehouse-plugins-'));
    env = { PULUMI_HOME: home, PATH: join(home, 'bin'), NODE: process.execPath };
    served = await servePlugin(() => new RecordingPlugin(), 'echo', '1.2.3');
  });
  afterEach(async () => {
    await served.close();
    rmSync(home, { recursive: true });
  });

  /** A binary that says it listens where `served` does, and notes its argument and its pid. */
  const install = (folder: string, script: string) => {
    mkdirSync(join(home, folder), { recursive: true });
    const file = join(home, folder, 'pulumi-resource-echo');
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  };
  const running = () =>
    `echo "$1 $$" > ${home}/started; echo ${served.port}; while :; do /bin/sleep 0.05 & wait; done`;
  const launch = () => GrpcPlugin.launch({ name: 'echo', version: '1.2.3', engineAddress, env });
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test.each([['plugins/resource-echo-v1.2.3'], ['bin']])('is found in %s', async (folder) => {
    install(folder, running());
    const plugin = await launch();
    const read = await plugin.read({ urn, id: 'jwt', inputs: {}, properties: {} });
    await plugin.close();
    expect(read.id).toBe('jwt');
  });

  test('gets the address of the engine and ends when closed', async () => {
    install('bin', running());
    const plugin = await launch();
    const [address, pid] = readFileSync(join(home, 'started'), 'utf8').trim().split(' ');
    await plugin.close();
    expect(address).toBe(engineAddress);
    expect(isAlive(Number(pid))).toBe(false);
  });

  test('is killed when it does not end by itself', async () => {
    install('bin', `trap '' TERM; ${running()}`);
    const plugin = await launch();
    const pid = Number(readFileSync(join(home, 'started'), 'utf8').trim().split(' ')[1]);
    await plugin.close();
    expect(isAlive(pid)).toBe(false);
  });

  test('that is nowhere is an error that says how to get it', async () => {
    await expect(launch()).rejects.toMatchObject({
      code: 'plugin_not_found',
      message: expect.stringContaining('pulumi plugin install resource echo 1.2.3'),
    });
  });

  test.each([
    ['ends at once', 'echo it is broken >&2; exit 3', 'exit code 3'],
    ['prints something else than a port', 'echo hello', 'not a port'],
  ])('that %s is an error', async (_, script, message) => {
    install('bin', script);
    await expect(launch()).rejects.toMatchObject({
      code: 'plugin_start_failed',
      message: expect.stringContaining(message),
    });
  });

  test('that ends at once is quoted', async () => {
    install('bin', 'echo it is broken >&2; exit 3');
    await expect(launch()).rejects.toThrow('it is broken');
  });
});
