import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Secret } from '../../../engine/property-value.ts';
import { readStack } from '../../../engine/stack-files/read-stack.ts';
import { createStackFile, openStackCrypter } from '../../../engine/stack-files/write-stack.ts';
import { folderWith, project } from './project-folder.ts';

const env = { PULUMI_CONFIG_PASSPHRASE: 'init' };

describe('a new stack', () => {
  test('reads back as it was given', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project });
    await createStackFile(
      directory,
      'new',
      {
        'gatehouse:service': {
          address: 'https://secrets.example.com:8200',
          startTime: '2026-12-01T00:00:00Z',
          port: '0012',
        },
        'gatehouse:clientSecrets': { staff: new Secret('hidden') },
      },
      env,
    );
    expect(Object.fromEntries((await readStack(directory, 'new', env)).config)).toEqual({
      'gatehouse:service': {
        value:
          '{"address":"https://secrets.example.com:8200","port":"0012","startTime":"2026-12-01T00:00:00Z"}',
        secret: false,
      },
      'gatehouse:clientSecrets': {
        value: '{"staff":"hidden"}',
        secret: true,
        secrets: ['hidden'],
      },
    });
  });

  test('its file holds no secret in clear', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project });
    const path = await createStackFile(directory, 'new', { a: { b: [new Secret('hidden')] } }, env);
    expect(await readFile(path, 'utf8')).not.toContain('hidden');
  });

  test('does not take the place of another', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': 'config: {}\n' });
    await expect(createStackFile(directory, 'dev', {}, env)).rejects.toMatchObject({ code: 'stack_exists' });
    expect(await readFile(join(directory, 'Pulumi.dev.yaml'), 'utf8')).toBe('config: {}\n');
  });

  test('needs a passphrase', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project });
    await expect(createStackFile(directory, 'new', {}, {})).rejects.toMatchObject({
      code: 'passphrase_missing',
    });
  });
});

describe("a stack's crypter", () => {
  test('adds a salt to a file that has none and leaves the rest as it is', async () => {
    const before = '# who signs in\nconfig:\n  a: yes # kept\n  b: [ 0x10, 1_000 ]\n';
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': before });
    const stack = await readStack(directory, 'dev', env);
    const crypter = await openStackCrypter(stack, env);
    const after = await readFile(join(directory, 'Pulumi.dev.yaml'), 'utf8');
    expect(after).toBe(`${before}encryptionsalt: ${crypter?.salt}\n`);
  });

  test('is the same the next time', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': 'config: {}\n' });
    const first = await openStackCrypter(await readStack(directory, 'dev', env), env);
    const second = await openStackCrypter(await readStack(directory, 'dev', env), env);
    expect(second?.salt).toBe(first?.salt);
  });

  test('is none without a passphrase', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': 'config: {}\n' });
    expect(await openStackCrypter(await readStack(directory, 'dev', {}), {})).toBeUndefined();
  });
});
