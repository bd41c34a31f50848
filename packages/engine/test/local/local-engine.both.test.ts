import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import type { DeploymentEvent } from '../../src/engine.ts';
import { LocalEngine, pluginsAtHand } from '../../src/local/local-engine.ts';
import { statePath } from '../../src/local/state-store.ts';
import { createCrypter } from '../../src/passphrase.ts';
import { VaultPlugin } from '../../src/plugins/vault/vault-plugin.ts';
import { Secret, Unknown } from '../../src/property-value.ts';
import type { Stack } from '../../src/stack.ts';
import { readSealedStack } from '../../src/stack-files/read-stack.ts';
import { openStackCrypter } from '../../src/stack-files/write-stack.ts';
import { env, programOf, Run, simple } from './program-run.ts';
import { TestPlugin, TestService } from './test-plugin.ts';

describe('a program run by the SDK’s own executor', () => {
  test('preview shows what up would do, with unknown outputs, and writes nothing', async () => {
    const run = new Run();
    const result = await run.run(simple(), 'preview');
    expect(result.succeeded).toBe(true);
    expect(result.changes).toEqual({ create: 6 });
    expect(result.outputs).toEqual({ text: 'hi', secret: new Secret('hush'), left: Unknown.value });
    expect(run.store.changes).toEqual([]);
    expect(run.service.calls).toEqual([]);
  });

  test('up creates, keeps secrets secret and tells the program’s own words; again it writes nothing', async () => {
    const run = new Run();
    const result = await run.run(simple());
    expect(result.changes).toEqual({ create: 6 });
    expect(result.outputs).toMatchObject({ text: 'hi', secret: new Secret('hush') });
    expect(result.diagnostics).toEqual([{ severity: 'info', message: 'hello from the program' }]);
    expect(run.store.row('hidden')).toMatchObject({ inputs: { secret: new Secret('hush') } });
    expect(run.store.row('hidden').dependencies).toEqual([run.store.row('plain').urn]);
    expect(run.store.row('pair').outputs).toEqual({ text: 'made id-3' });
    const again = await run.run(simple());
    expect(again.changes).toEqual({ same: 6 });
    expect(run.store.changes).toEqual([]);
  });

  longTest('a program that throws deletes nothing and shows the place, without a stack trace', async () => {
    const run = new Run();
    await run.run(simple());
    const result = await run.run(simple({ fail: 'throw' }));
    expect(result.succeeded).toBe(false);
    expect(result.changes).toEqual({ same: 6 });
    const [error] = result.diagnostics.filter(({ severity }) => severity === 'error');
    expect(error?.message).toMatch(/Error: boom\n {2}at index\.ts:\d+:\d+$/);
  });

  longTest('a failed resource ends the program, and nothing else is begun', async () => {
    const run = new Run();
    run.service.refuse('plain');
    const result = await run.run(simple());
    expect(result.succeeded).toBe(false);
    expect(run.store.names()).not.toContain('hidden');
    const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors).toEqual([expect.objectContaining({ code: 'step_failed' })]);
  });

  longTest('what the SDK writes after a failed step is for --verbose', async () => {
    const run = new Run();
    run.service.refuse('plain');
    const { diagnostics } = await run.run(simple({ fail: 'complain' }));
    const written = diagnostics.filter(({ message }) => message.includes('as the SDK does'));
    expect(written.map(({ severity }) => severity)).toEqual(['debug']);
    const other = await new Run().run(simple({ fail: 'complain' }));
    expect(other.diagnostics).toContainEqual({ severity: 'info', message: 'as the SDK does' });
  });

  test('an error that the program logs is shown, and fails nothing', async () => {
    const run = new Run();
    const result = await run.run(simple({ fail: 'log' }));
    expect(result.succeeded).toBe(true);
    expect(result.diagnostics).toContainEqual({ severity: 'error', message: 'not as it should be' });
  });

  longTest('explicit plugin resources, protect, aliases and dependsOn reach the engine', async () => {
    const run = new Run();
    const wiring = (config: Record<string, string>) =>
      programOf('wiring', { address: 'x', ...config }, ['address']);
    await run.run(wiring({ protect: 'true' }));
    const row = run.store.row('second');
    expect(row.provider).toMatch(/^urn:pulumi:dev::wiring::pulumi:providers:test::mine::/);
    expect(row.outputs['computed']).toEqual(new Secret('made id-2'));
    expect(run.store.row('first').protect).toBe(true);
    const rewired = await run.run(wiring({ protect: 'true', name: 'renamed', place: 'there' }));
    expect(rewired.changes).toEqual({ same: 3, replace: 2 });
    expect(run.service.changes('delete').slice(-2)).toEqual(['delete third', 'delete second']);
    expect(run.store.names()).toEqual(['first', 'renamed', 'third']);
  });

  test('state is a file with secrets encrypted, which exports as a Pulumi deployment and is emptied by destroy', async () => {
    const service = new TestService();
    const engine = new LocalEngine({ env, plugins: { test: async () => new TestPlugin(service) } });
    const { salt } = await createCrypter('open sesame');
    const stack: Stack = { ...simple(), encryptionSalt: salt };
    const request = { stack, dryRun: false, refresh: false, targets: [] };
    expect((await engine.run({ ...request, verb: 'up' })).changes).toEqual({ create: 6 });
    expect(readFileSync(statePath(stack)).includes('hush')).toBe(false);
    expect(await engine.exportState(stack)).toMatchObject({
      version: 3,
      deployment: { resources: expect.any(Array) },
    });
    expect((await engine.run({ ...request, verb: 'destroy' })).changes).toEqual({ delete: 6 });
    expect(service.objects.size).toBe(0);
  });
});

describe('a secret of the stack is masked in what is told of', () => {
  const password = 'hunter2 "and" more';
  const leaking = (by: string, secret = password) =>
    programOf('leaking', { by, password: secret }, ['password']);
  const messagesOf = async (run: Run, stack: Stack) => {
    const events: DeploymentEvent[] = [];
    const result = await run.run(stack, 'up', { onEvent: (event) => events.push(event) });
    const reported = events.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic] : []));
    expect(reported).toEqual(result.diagnostics);
    expect(JSON.stringify(events.map((event) => ({ ...event, step: undefined })))).not.toContain('hunter2');
    return result.diagnostics.map(({ message }) => message);
  };

  test('the program’s output, of errors too, its log, and the configuration as the SDK has it', async () => {
    expect((await messagesOf(new Run(), leaking('words'))).sort()).toEqual([
      'errors: [secret]',
      'in two chunks: [secret]',
      'log: [secret]',
      'output: [secret]',
      '{"leaking:by":"words","leaking:password":"[secret]"}',
    ]);
  });

  test('an error that it throws', async () => {
    const [message] = await messagesOf(new Run(), leaking('error'));
    expect(message).toMatch(/Error: no one signs in with \[secret\]\n {2}at index\.ts/);
  });

  test('an error of a plugin', async () => {
    const run = new Run();
    run.service.refuse('refused', `no ${password} here`);
    const messages = await messagesOf(run, leaking('resource'));
    expect(messages).toEqual([expect.stringContaining('[secret]')]);
  });

  longTest('output of several lines', async () => {
    const messages = await messagesOf(new Run(), leaking('words', 'hunter2\nhunter2, too\n'));
    expect(messages).toEqual(expect.arrayContaining(['output: [secret]', '[secret]']));
  });
});

describe('what the engine does not do is refused by name', () => {
  longTest.each<[string, string, string | undefined]>([
    ['ignoreChanges', 'the option ignoreChanges', 'left'],
    ['customTimeouts', 'the option customTimeouts', 'slow'],
    ['get', 'test:index:Thing.get, which only reads "read"', undefined],
    ['retainOnDelete', 'the option retainOnDelete', 'kept'],
    ['deletedWith', 'the option deletedWith', 'gone'],
    ['transforms', 'transforms', 'changed'],
    ['hooks', 'resource hooks', 'hooked'],
    ['errorHooks', 'resource hooks', 'hooked'],
    ['stackTransforms', 'stack transforms', undefined],
    ['invoke', 'functions, and the program calls test:index:getThing', undefined],
    ['package', 'no plugin for the package other', 'foreign'],
  ])('%s', async (use, message, resource) => {
    const result = await new Run().run(programOf('unsupported', { use }));
    expect(result.succeeded).toBe(false);
    const [error, ...rest] = result.diagnostics.filter(({ severity }) => severity === 'error');
    expect(error?.code).toBe(use === 'package' ? 'engine_plugin_missing' : 'engine_unsupported');
    expect(error?.message).toContain(message);
    expect(error?.message).toContain('--engine pulumi');
    if (resource !== undefined) expect(error?.urn).toMatch(new RegExp(`::${resource}$`));
    expect(rest).toEqual([]);
  });
});

test.each(['preview', 'up'] as const)('%s refuses a policy pack before anything runs', async (verb) => {
  const run = new Run();
  const refused = run.run(simple(), verb, { policyPacks: [{ folder: '/pack' }] });
  await expect(refused).rejects.toMatchObject({
    code: 'option_conflict',
    message: expect.stringContaining('--engine pulumi'),
  });
  expect([run.store.changes, run.service.calls]).toEqual([[], []]);
});

test('the one plugin is our own, for vault', async () => {
  const { vault, ...rest } = pluginsAtHand({ PATH: '' });
  expect(await vault?.()).toBeInstanceOf(VaultPlugin);
  expect(rest).toEqual({});
});

describe('a sealed stack', () => {
  const env = { ...process.env, PULUMI_CONFIG_PASSPHRASE: 'x' };
  async function project() {
    const crypter = await createCrypter('x');
    const write = (folder: string, secret: string) =>
      writeFileSync(
        join(folder, 'Pulumi.dev.yaml'),
        `encryptionsalt: ${crypter.salt}\nconfig: { word: { secure: "${crypter.encrypt(secret)}" } }\n`,
      );
    const folder = temporaryFolder({
      'Pulumi.yaml': 'name: a\nruntime: nodejs\nmain: index.mjs\n',
      'package.json': '{"type":"module"}',
      // In parts, as what is written is masked.
      'index.mjs': "console.log(...JSON.parse(process.env.PULUMI_CONFIG)['a:word']);\n",
    });
    write(folder, 'first');
    return { folder, write: (secret: string) => write(folder, secret) };
  }
  const request = { dryRun: false, refresh: false, targets: [] };

  longTest(
    'reaches the program decrypted, and is the same when it is applied as when it was planned',
    async () => {
      const { folder, write } = await project();
      const stack = await readSealedStack(folder, 'dev', env);
      const engine = new LocalEngine({ env });
      const words = async (verb: 'preview' | 'up') =>
        (await engine.run({ ...request, verb, stack })).diagnostics.map(({ message }) => message);
      expect(await words('preview')).toEqual(['f i r s t']);
      write('second');
      expect(await words('up')).toEqual(['f i r s t']);
    },
  );

  longTest('is planned without a write: a file without a salt gets one when it is applied', async () => {
    const { folder } = await project();
    const file = join(folder, 'Pulumi.dev.yaml');
    writeFileSync(file, 'config: { word: open }\n');
    const engine = new LocalEngine({ env });
    for (const [verb, dryRun] of [
      ['preview', false],
      ['up', true],
    ] as const) {
      const stack = await readSealedStack(folder, 'dev', env);
      expect((await engine.run({ ...request, verb, dryRun, stack })).succeeded).toBe(true);
      expect(readFileSync(file, 'utf8')).toBe('config: { word: open }\n');
    }
    await engine.run({ ...request, verb: 'up', stack: await readSealedStack(folder, 'dev', env) });
    expect(readFileSync(file, 'utf8')).toMatch(/^encryptionsalt: v1:/m);
  });

  longTest('of another secrets provider without a secret has a state without secrets', async () => {
    const { folder } = await project();
    writeFileSync(
      join(folder, 'Pulumi.dev.yaml'),
      'secretsprovider: awskms://alias/a\nconfig: { word: open }\n',
    );
    const stack = await readSealedStack(folder, 'dev', env);
    const engine = new LocalEngine({ env });
    expect((await engine.run({ ...request, verb: 'up', stack })).succeeded).toBe(true);
    expect(JSON.stringify(await engine.exportState(stack))).not.toContain('secrets_providers');
    expect(readFileSync(join(folder, 'Pulumi.dev.yaml'), 'utf8')).not.toContain('encryptionsalt');
    const crypter = await openStackCrypter(stack, env);
    expect(() => crypter?.encrypt('hush')).toThrow(
      expect.objectContaining({ code: 'secrets_provider_unsupported' }),
    );
  });
});
