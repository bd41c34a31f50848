import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { environmentFor, root } from '../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { describeOnEmbeddedService } from '../../../test/harness/two-servers.ts';
import { update } from '../../engine/test/pulumi/engine-events.ts';
import { installPulumiCliDouble } from '../../engine/test/pulumi/pulumi-cli-double.ts';
import { platformWork } from '../src/serve/platform-work.ts';
import { failed, runCommand, wordsOf } from './running-command.ts';

const providers = ['passphrase', 'kms', 'cloud', 'esc'] as const;
type SecretsProvider = (typeof providers)[number];

/** The dev stack's file as each secrets provider would have it. */
const withProvider: Record<SecretsProvider, (yaml: string) => string> = {
  passphrase: (yaml) => yaml,
  kms: (yaml) =>
    yaml.replace(/^encryptionsalt: .*$/m, 'secretsprovider: awskms://alias/a\nencryptedkey: abc'),
  cloud: (yaml) => yaml.replace(/^encryptionsalt: .*\n/m, '').replaceAll(/"v1:[^"]+"/g, '"AAABANqI8w=="'),
  // What gives the secrets is not in the file.
  esc: (yaml) =>
    `environment: [acme/shared]\n${yaml.replace(/^ {2}gatehouse:clientSecrets:\n(?: {4}.*\n)+/m, '')}`,
};

/**
 * Engine by secrets provider by command (docs/engines.md). The Pulumi CLI is a double: what it decrypts is what the dev
 * stack has. The passphrase itself is in no environment.
 */
describeOnEmbeddedService('a stack under each secrets provider', (server) => {
  let folder: string;
  let withCli: NodeJS.ProcessEnv;
  let without: NodeJS.ProcessEnv;
  let calls: Awaited<ReturnType<typeof installPulumiCliDouble>>['calls'];
  const environment = environmentFor(server);
  beforeAll(async () => {
    let file = '';
    folder = await environment().writeProject((yaml) => {
      file = yaml;
      return yaml;
    });
    for (const provider of providers) {
      writeFileSync(join(folder, `Pulumi.${provider}.yaml`), withProvider[provider](file));
    }
    writeFileSync(join(folder, 'claims.json'), '{}');
    const config = Object.fromEntries(
      [...environment().stack().config].map(([key, { value, secret }]) => [key, { value, secret }]),
    );
    const stdout = {
      'config --show-secrets': JSON.stringify(config),
      preview: update(true),
      up: update(false),
      refresh: update(false),
      destroy: update(false),
      stack: '{"version":3,"deployment":{}}',
    };
    const cli = await installPulumiCliDouble({ stdout });
    calls = cli.calls;
    const { PULUMI_CONFIG_PASSPHRASE: _, ...env } = environment().env;
    withCli = { ...env, ...cli.env };
    without = { ...env, PATH: temporaryFolder() };
  });

  const plain = ['kms', 'cloud', 'passphrase'] as const;
  const questions: [name: string, ...argv: string[]][] = [
    ['who-can', 'read', 'secret/data/a'],
    ['access', '--role', 'web'],
    ['explain', '--role', 'web', '--claims', 'claims.json'],
    ['drift'],
    ['snapshot', '-o', 'a.snapshot', '--names'],
    ['review', join(root, 'examples/plans/terraform-plan.json')],
    ['secret', 'ls'],
  ];

  const applying = ['preview', 'up --yes', 'refresh --yes', 'destroy --yes', 'review'];

  /** Nothing is applied, claims without a name do not sign in, and the plan has errors. */
  const answers: Record<string, number> = { drift: 2, explain: 2, review: 2 };

  describe.each(plain)('%s', (provider) => {
    test.each(questions)('%s needs neither a passphrase nor the CLI', async (...argv) => {
      const { code, out, err } = await runCommand([...argv, '-s', provider, '--json'], without, folder);
      expect({ code, err }).toEqual({ code: answers[argv[0]] ?? 0, err: '' });
      expect(out).not.toBe('');
    });
  });

  test.each(plain)('%s: who-can answers as with the secrets', async (provider) => {
    const ask = (stack: string, env: NodeJS.ProcessEnv) =>
      runCommand(['who-can', 'read', 'secret/data/a', '-s', stack, '--json'], env, folder);
    const opened = await ask('dev', environment().env);
    expect(opened.code).toBe(0);
    expect(await ask(provider, without)).toEqual(opened);
  });

  test.each([...plain, 'esc'])('%s: previews, applies and reviews by the CLI', async (provider) => {
    for (const line of [...applying, 'drift --fix --yes']) {
      const argv = wordsOf(`${line} -s ${provider} --engine pulumi`);
      const { code } = await runCommand(argv, withCli, folder);
      // What drifted is not in the state of the stand-in, so nothing is fixed.
      expect([line, code]).toEqual([line, line.startsWith('drift') ? 2 : 0]);
    }
  });

  test.each(['kms', 'cloud'])('%s: verify has the client secrets decrypted by the CLI', async (provider) => {
    const secretsOf = async (env: NodeJS.ProcessEnv) => {
      const { out } = await runCommand(['verify', '-s', provider, '--json'], env, folder);
      const { checks } = JSON.parse(out);
      return checks.filter(({ what }: { what: string }) => what === 'its client secret');
    };
    const asked = await secretsOf(withCli);
    expect(new Set(asked.map(({ outcome }: { outcome: string }) => outcome))).toEqual(new Set(['ok']));
    const refused = await secretsOf(without);
    expect(refused).toHaveLength(asked.length);
    for (const check of refused) {
      expect(check).toMatchObject({
        outcome: 'unverified',
        detail: expect.stringMatching(
          /^the stack's secrets cannot be read: The Pulumi CLI cannot be started/,
        ),
      });
    }
  });

  test.each(['kms', 'esc'])(
    '%s: the platform signs requests with the key that the CLI decrypts',
    async (provider) => {
      const review = async () => {
        throw new Error('nothing is reviewed');
      };
      const key = (env: NodeJS.ProcessEnv) =>
        platformWork(folder, env, { review }, '').signingKey(provider, 'review');
      expect(await key(withCli)).toBe(
        JSON.parse(environment().stack().config.get('gatehouse:runTaskKeys')?.value ?? '').review,
      );
      await expect(key(without)).rejects.toMatchObject({ code: 'pulumi_cli_missing' });
    },
  );

  test('passphrase: verify says that none is given', async () => {
    const { out } = await runCommand(['verify', '-s', 'passphrase', '--json'], without, folder);
    expect(out).toContain('encrypted with a passphrase, and none is given');
  });

  test.each([
    ['kms', 'secrets_provider_unsupported'],
    ['cloud', 'secrets_provider_unsupported'],
    ['esc', 'stack_environment_unsupported'],
    ['passphrase', 'passphrase_missing'],
  ])('%s: the local engine refuses what it cannot read, and changes nothing', async (provider, code) => {
    for (const line of applying) {
      const argv = wordsOf(`${line} -s ${provider} --engine local`);
      expect(await runCommand(argv, withCli, folder)).toMatchObject(failed(code));
    }
    expect((await environment().live()).mounts).toEqual([]);
  });

  test.each(questions.filter(([name]) => name !== 'drift'))(
    'esc: %s asks the CLI for what is declared, and is an error without it',
    async (...argv) => {
      const before = (await calls()).length;
      const { err } = await runCommand([...argv, '-s', 'esc'], withCli, folder);
      expect(err).not.toMatch(/pulumi_cli|unsupported/);
      expect((await calls()).slice(before).map(({ argv }) => argv.slice(0, 2))).toEqual([
        ['config', '--open'],
        ['config', '--show-secrets'],
      ]);
      expect(await runCommand([...argv, '-s', 'esc'], without, folder)).toMatchObject(
        failed('pulumi_cli_missing'),
      );
    },
  );

  test.each(['kms', 'cloud'])(
    '%s: a secret is set and removed by the CLI, whose command is told',
    async (provider) => {
      const set = ['secret', 'set', 'clientSecrets.staff', '-s', provider];
      const secret = { GATEHOUSE_CLIENT_SECRET: 'hush', ...withCli };
      const ended = await runCommand(set, secret, folder, { piped: 'hush' });
      expect(ended).toMatchObject(failed('secrets_provider_unsupported'));
      expect(ended.err).toContain(
        `pulumi config set --secret --path 'gatehouse:clientSecrets.staff' --stack ${provider}`,
      );
      expect(ended.err).not.toContain('hush');
      expect(
        await runCommand(['secret', 'rm', 'clientSecrets.staff', '-s', provider], withCli, folder),
      ).toMatchObject(failed('secrets_provider_unsupported'));
      const rotate = ['rotate', 'staff', '-s', provider, '--yes'];
      expect(await runCommand(rotate, secret, folder)).toMatchObject(failed('secrets_provider_unsupported'));
    },
  );

  test('esc: a secret is set as what the file itself is encrypted with', async () => {
    const env = { ...withCli, PULUMI_CONFIG_PASSPHRASE: environment().env['PULUMI_CONFIG_PASSPHRASE'] };
    const ended = await runCommand(['secret', 'set', 'clientSecrets.staff', '-s', 'esc'], env, folder, {
      piped: 'hush',
    });
    expect(ended.code).toBe(0);
    expect(readFileSync(join(folder, 'Pulumi.esc.yaml'), 'utf8')).toMatch(/staff: \{ secure: "v1:/);
  });

  test('kms: secret outputs are shown by the CLI, whose command is told', async () => {
    const secret = {
      '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
      ciphertext: 'v1:a:b',
    };
    const stack = { type: 'pulumi:pulumi:Stack', outputs: { token: secret } };
    const stdout = JSON.stringify({ version: 3, deployment: { resources: [stack] } });
    const env = { ...withCli, ...(await installPulumiCliDouble({ stdout })).env };
    const show = (...args: string[]) =>
      runCommand(['stack', 'output', '-s', 'kms', '--engine', 'pulumi', ...args], env, folder);
    expect((await show()).out).toContain('[secret]');
    const ended = await show('--show-secrets');
    expect(ended).toMatchObject(failed('secrets_provider_unsupported'));
    expect(ended.err).toContain('pulumi stack output --show-secrets --stack kms');
  });

  test('kms: review --since compares ciphertexts', async () => {
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...argv], { cwd: folder });
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'one');
    const env = { ...without, PATH: process.env['PATH'] };
    const argv = wordsOf('review -s kms --since HEAD --json');
    const { code, out, err } = await runCommand(argv, env, folder);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ gains: 'none', resources: { changed: 0 } });
  });

  test('kms out of reach: what needs a secret has the words of the CLI, and what needs none answers', async () => {
    const stderr = 'error: could not decrypt configuration value: AccessDeniedException';
    const cli = await installPulumiCliDouble({ stderr, exitCode: 1 });
    const env = { ...withCli, ...cli.env };
    const preview = await runCommand(['preview', '-s', 'kms', '--engine', 'pulumi'], env, folder);
    expect(preview).toMatchObject({ code: 1, err: expect.stringContaining('AccessDeniedException') });
    const { out } = await runCommand(['verify', '-s', 'kms', '--json'], env, folder);
    expect(out).toContain('AccessDeniedException');
    expect((await runCommand(['who-can', 'read', 'secret/data/a', '-s', 'kms'], env, folder)).code).toBe(0);
  });

  test('what is declared in a secret is not answered from its ciphertext', async () => {
    const hidden = withProvider
      .kms('encryptionsalt: a\nconfig:\n  gatehouse:providers: { secure: v1:x:y }\n')
      .concat('  gatehouse:service: { address: http://127.0.0.1:9 }\n');
    writeFileSync(join(folder, 'Pulumi.hidden.yaml'), hidden);
    const ask = ['who-can', 'read', 'secret/data/a', '-s', 'hidden'];
    expect(await runCommand(ask, without, folder)).toMatchObject(failed('pulumi_cli_missing'));
    expect((await runCommand(ask, withCli, folder)).code).toBe(0);
  });
});
