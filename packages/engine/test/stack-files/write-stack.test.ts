import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readStack } from '../../src/stack-files/read-stack.ts';
import { createStackFile, openStackCrypter } from '../../src/stack-files/write-stack.ts';
import { folderWith, project } from './project-folder.ts';

const env = { PULUMI_CONFIG_PASSPHRASE: 'init' };

describe('a new stack', () => {
  test('does not take the place of another', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': 'config: {}\n' });
    await expect(createStackFile(directory, 'dev', env)).rejects.toMatchObject({ code: 'stack_exists' });
    expect(await readFile(join(directory, 'Pulumi.dev.yaml'), 'utf8')).toBe('config: {}\n');
  });

  test('needs a passphrase', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project });
    await expect(createStackFile(directory, 'new', {})).rejects.toMatchObject({
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

  test('leaves the file as it is where nothing is applied', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': 'config: {}\n' });
    const stack = await readStack(directory, 'dev', env);
    expect((await openStackCrypter(stack, env, false))?.salt).toMatch(/^v1:/);
    expect(await readFile(join(directory, 'Pulumi.dev.yaml'), 'utf8')).toBe('config: {}\n');
    expect(stack.encryptionSalt).toBeUndefined();
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
