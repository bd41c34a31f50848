import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { serviceAccountKey } from '../../../../test/harness/service-account-key.ts';
import { createCrypter } from '../../../engine/src/passphrase.ts';
import { readStack } from '../../../engine/src/stack-files/read-stack.ts';
import { failed, projectFolder, runCommand } from '../running-command.ts';

const withoutSalt = `# of the shop
config:
  gatehouse:service: { address: https://secrets.example.com }
  gatehouse:providers:
    - { kind: source_hosting, name: staff, clientId: abc }
    - kind: Google # with its groups
      name: suite
      clientId: abc
      directory: { adminEmail: admin@example.com }
    - { kind: github_actions, name: pipelines }
  gatehouse:runTasks:
    - { name: review, url: http://127.0.0.1:1/review, stages: [post_plan] }
`;
const passphrase = { PULUMI_CONFIG_PASSPHRASE: 'only a test' };
/** To derive the key of a new salt takes a tenth of a second. */
const { salt } = await createCrypter(passphrase.PULUMI_CONFIG_PASSPHRASE);
const stackFile = `encryptionsalt: ${salt}\n${withoutSalt}`;

let folder: string;
beforeEach(() => {
  folder = projectFolder({ 'Pulumi.prod.yaml': stackFile });
});

const path = () => join(folder, 'Pulumi.prod.yaml');
const written = () => readFileSync(path(), 'utf8');
type Given = { typed?: string[]; piped?: string; env?: object };
const run = (line: string, { env, ...given }: Given = {}) =>
  runCommand(['secret', ...line.split(' '), '-s', 'prod'], { ...passphrase, ...env }, folder, given);
const secrets = async (key: string) =>
  JSON.parse((await readStack(folder, 'prod', passphrase)).config.get(`gatehouse:${key}`)?.value ?? '{}');

test('a provider that a template makes has a secret by its name', async () => {
  const templates = `  gatehouse:templates:
    partner:
      parameters: { name: text }
      providers:
        - { kind: source_hosting, name: "\${name}", clientId: abc }
  gatehouse:use:
    - { template: partner, with: { name: shop } }
`;
  folder = projectFolder({ 'Pulumi.prod.yaml': withoutSalt + templates });
  const { code, out } = await run('set clientSecrets.shop', { piped: 'hush' });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Set clientSecrets.shop') });
  expect(await secrets('clientSecrets')).toEqual({ shop: 'hush' });
});

describe('gatehouse secret set', () => {
  test('encrypts a secret from a file without the line break at its end', async () => {
    writeFileSync(join(folder, 'secret.txt'), ' hush-hush \n');
    const { code, out } = await run('set clientSecrets.staff --file secret.txt');
    expect(code).toBe(0);
    expect(out).toContain('Set clientSecrets.staff in Pulumi.prod.yaml.');
    expect(await secrets('clientSecrets')).toEqual({ staff: ' hush-hush ' });
    expect(written()).not.toContain('hush');
    expect(written().startsWith(stackFile)).toBe(true);
  });

  test.each([
    ['two line breaks', 'x\n\n', 'x\n'],
    ['a Windows line break', 'x\r\n', 'x'],
    ['none', 'x', 'x'],
  ])('of a secret with %s drops at most one', async (_, piped, value) => {
    expect((await run('set clientSecrets.staff', { piped })).code).toBe(0);
    expect(await secrets('clientSecrets')).toEqual({ staff: value });
  });

  test('takes it from a variable, as it is', async () => {
    expect((await run('set clientSecrets.staff --from-env MINE', { env: { MINE: 'x\n' } })).code).toBe(0);
    expect(await secrets('clientSecrets')).toEqual({ staff: 'x\n' });
  });

  test('asks for it twice, and shows nothing of it', async () => {
    const { code, out, err } = await run('set clientSecrets.staff', { typed: ['hush-hush', 'hush-hush'] });
    expect(code).toBe(0);
    expect(`${out}${err}`).not.toContain('hush');
    expect(await secrets('clientSecrets')).toEqual({ staff: 'hush-hush' });
  });

  test('sets the key of a run task by its name alone', async () => {
    expect((await run('set review', { piped: 'k' })).code).toBe(0);
    expect(await secrets('runTaskKeys')).toEqual({ review: 'k' });
  });

  const ofSuite = 'clientSecrets.suite, serviceAccountKeys.suite';
  const all = `clientSecrets.staff, ${ofSuite}, runTaskKeys.review`;
  test.each<[about: string, line: string, given: Given, code: string, says?: string]>([
    ['answers that differ', 'set clientSecrets.staff', { typed: ['hush-hush', 'hush'] }, 'secret_differs'],
    ['a name of several', 'set suite', { piped: 'hush' }, 'secret_ambiguous', ofSuite],
    ['a name of none', 'set nobody', { piped: 'hush' }, 'secret_unknown', all],
    ['a method without a secret', 'set clientSecrets.pipelines', { piped: 'hush' }, 'secret_unknown', all],
    ['what has no secrets', 'set policies.staff', { piped: 'hush' }, 'secret_unknown', all],
    ['a key that is none', 'set serviceAccountKeys.suite', { piped: '{"hush":1}' }, 'secret_invalid'],
    ['nothing', 'set clientSecrets.staff', { piped: '' }, 'secret_missing'],
    ['a line break alone', 'set clientSecrets.staff', { piped: '\n' }, 'secret_missing'],
    ['a value as an argument', 'set clientSecrets.staff hush-hush', {}, 'argument_excess'],
  ])('refuses %s, and repeats nothing of it', async (_, line, given, code, says = '') => {
    const { err, ...ended } = await run(line, given);
    expect({ err, ...ended }).toMatchObject(failed(code));
    expect(err).toContain(says);
    expect(`${ended.out}${err}`).not.toContain('hush');
    expect(written()).toBe(stackFile);
  });

  test('takes the key of a service account', async () => {
    const piped = JSON.stringify(serviceAccountKey);
    expect((await run('set serviceAccountKeys.suite', { piped })).code).toBe(0);
  });

  test('refuses a file that is no text', async () => {
    writeFileSync(join(folder, 'secret.bin'), Buffer.from([0xff, 0xfe, 0x41]));
    expect((await run('set clientSecrets.staff --file secret.bin')).err).toContain('(secret_invalid)');
    expect(written()).toBe(stackFile);
  });

  test('refuses two sources', async () => {
    writeFileSync(join(folder, 'secret.txt'), 'x');
    const { err } = await run('set staff --file secret.txt --from-env HOME');
    expect(err).toContain('(option_conflict)');
  });

  test('a wrong passphrase is one clear line, and writes nothing', async () => {
    await run('set clientSecrets.staff', { piped: 'x' });
    const before = written();
    const { code, err } = await run('set clientSecrets.suite', {
      piped: 'x',
      env: { PULUMI_CONFIG_PASSPHRASE: 'another' },
    });
    expect(code).toBe(1);
    expect(err).toMatch(/^error: The passphrase does not decrypt the stack's secrets\.\n/);
    expect(written()).toBe(before);
  });

  test('says what is still missing', async () => {
    const { out } = await run('set clientSecrets.staff', { piped: 'x' });
    expect(out).toContain(
      'Still missing:\n  gatehouse secret set -s prod clientSecrets.suite\n  gatehouse secret set -s prod serviceAccountKeys.suite\n',
    );
  });
});

test('a secret that an environment lacks is named with the command that sets it', async () => {
  const { code, err } = await runCommand(['access', '-s', 'prod', '--role', 'x'], {}, folder);
  expect(code).toBe(1);
  expect(err).toContain('gatehouse secret set -s prod clientSecrets.staff');
});

describe('gatehouse secret ls', () => {
  test('shows which are set, missing, and not needed, and no value', async () => {
    await run('set clientSecrets.staff', { piped: 'hush-hush' });
    const { code, out } = await run('ls', { env: { PULUMI_CONFIG_PASSPHRASE: undefined } });
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'clientSecrets.staff       set',
        'clientSecrets.suite       missing: the environment is not valid without it',
        'serviceAccountKeys.suite  missing: the environment is not valid without it',
        'runTaskKeys.review        not set, and not needed',
        '',
      ].join('\n'),
    );
  });

  test('--json gives the same', async () => {
    expect(JSON.parse((await run('ls --json')).out).secrets[0]).toEqual({
      name: 'clientSecrets.staff',
      state: 'missing',
    });
  });

  test('reads providers from a file of their own', async () => {
    writeFileSync(join(folder, 'main.yaml'), 'providers: [{ kind: gitlab, name: staff, clientId: a }]\n');
    writeFileSync(path(), 'config: { gatehouse:file: main.yaml, gatehouse:clientSecrets: }\n');
    expect((await run('ls')).out).toContain('clientSecrets.staff  missing');
  });

  test('says so where nothing has a secret', async () => {
    writeFileSync(path(), 'config: {}\n');
    expect((await run('ls')).out).toBe('The stack declares nothing that has a secret.\n');
  });
});

describe('gatehouse secret rm', () => {
  test('removes it, and what nothing uses any more', async () => {
    for (const name of ['clientSecrets.staff', 'clientSecrets.suite'])
      await run(`set ${name}`, { piped: 'x' });
    writeFileSync(path(), written().replace(/.*name: staff.*\n/, ''));
    expect((await run('ls')).out).toContain('clientSecrets.staff       set, and used by nothing');
    const { code, out } = await run('rm staff');
    expect(code).toBe(0);
    expect(out).toBe('Removed clientSecrets.staff from Pulumi.prod.yaml.\n');
    expect(await secrets('clientSecrets')).toEqual({ suite: 'x' });
  });

  test('refuses one that is not set', async () => {
    const { code, err } = await run('rm staff');
    expect(code).toBe(1);
    expect(err).toMatch(
      /^error: The stack has no such secret\.\n {2}given: staff\n.*\n {2}\(secret_unknown\)\n$/,
    );
  });
});
