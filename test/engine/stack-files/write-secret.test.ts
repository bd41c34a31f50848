import { lstat, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createCrypter } from '../../../engine/passphrase.ts';
import { readStack, readStackWithoutSecrets } from '../../../engine/stack-files/read-stack.ts';
import { writeSecret } from '../../../engine/stack-files/write-secret.ts';

const env = { PULUMI_CONFIG_PASSPHRASE: 'only a test' };
const crypter = await createCrypter('only a test');
const sealed = (text: string) => crypter.encrypt(text);
const key = 'gatehouse:clientSecrets';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  await writeFile(join(folder, 'Pulumi.yaml'), 'name: gatehouse\nruntime: nodejs\n');
});
afterEach(() => rm(folder, { recursive: true }));

const path = () => join(folder, 'Pulumi.dev.yaml');
async function written(
  config: string,
  name = 'staff',
  value: string | undefined = 'new: "secret"',
): Promise<[string, string]> {
  const before = `# a comment\nencryptionsalt: ${crypter.salt}\nconfig:\n  gatehouse:service:   { address: http://127.0.0.1:1 }\n${config}`;
  await writeFile(path(), before);
  await writeSecret(await readStack(folder, 'dev', env), { key, name, value }, env);
  return [before, await readFile(path(), 'utf8')];
}
const secrets = async () => JSON.parse((await readStack(folder, 'dev', env)).config.get(key)?.value ?? '');

test.each([
  [
    'in one line',
    () =>
      `  gatehouse:clientSecrets:\n    staff: { secure: "${sealed('old')}" } # of people\n    other: { secure: ${sealed('kept')} }\n`,
  ],
  [
    'in lines',
    () =>
      `  gatehouse:clientSecrets:\n    staff:\n      secure: ${sealed('old')}\n    other:\n      secure: ${sealed('kept')}\n`,
  ],
  [
    'below a key without the project',
    () =>
      `  clientSecrets: { staff: { secure: '${sealed('old')}' }, other: { secure: ${sealed('kept')} } }\n`,
  ],
  [
    'folded',
    () =>
      `  gatehouse:clientSecrets:\n    staff:\n      secure: >-\n        ${sealed('old')}\n    other: { secure: ${sealed('kept')} }\n`,
  ],
  [
    'in the clear',
    () => `  gatehouse:clientSecrets:\n    staff: old\n    other: { secure: ${sealed('kept')} }\n`,
  ],
  [
    'through an alias',
    () => `  gatehouse:clientSecrets:\n    other: &one { secure: ${sealed('kept')} }\n    staff: *one\n`,
  ],
  [
    'all as one',
    () => `  gatehouse:clientSecrets: { secure: ${sealed('{"staff":"old","other":"kept"}')} }\n`,
  ],
])('a secret that stands %s is replaced, and nothing else', async (_, config) => {
  const [before, after] = await written(config());
  expect(await secrets()).toEqual({ staff: 'new: "secret"', other: 'kept' });
  expect(after).not.toContain('new:');
  const lines = after.split('\n');
  // At most the line or two of the secret itself.
  expect(before.split('\n').filter((line) => !lines.includes(line)).length).toBeLessThanOrEqual(2);
  expect(after).toContain('# a comment');
});

test('no draft is left, and the encryption salt stays', async () => {
  const [, after] = await written(`  gatehouse:clientSecrets: { staff: { secure: ${sealed('old')} } }\n`);
  expect(after).toContain(crypter.salt);
  expect((await readdir(folder)).sort()).toEqual(['Pulumi.dev.yaml', 'Pulumi.yaml']);
});

test.each([
  ['a map', () => `  gatehouse:clientSecrets:\n    other: { secure: ${sealed('kept')} }`],
  [
    'a map with a comment behind it, and another key',
    () =>
      `  gatehouse:clientSecrets: # of people\n      other:\n        secure: ${sealed('kept')} # old\n\n  # policies\n  gatehouse:policies: []\n`,
  ],
  ['a map in one line', () => `  gatehouse:clientSecrets: { other: { secure: ${sealed('kept')} } } # one\n`],
  [
    'a map in several lines of braces',
    () => `  gatehouse:clientSecrets: {\n    other: { secure: ${sealed('kept')} }\n  }\n`,
  ],
  [
    'a folded secret',
    () => `  gatehouse:clientSecrets:\n    other:\n      secure: >-\n        ${sealed('kept')}\n`,
  ],
  [
    'a merged map',
    () =>
      `  x:all: &all { other: { secure: ${sealed('kept')} } }\n  gatehouse:clientSecrets:\n    <<: *all\n`,
  ],
  ['secrets encrypted as one', () => `  clientSecrets:\n    secure: ${sealed('{"other":"kept"}')}\n`],
])('a new secret is added to %s', async (_, config) => {
  const [before, after] = await written(config());
  expect(await secrets()).toEqual({ other: 'kept', staff: 'new: "secret"' });
  const lines = after.split('\n');
  expect(before.split('\n').filter((line) => !lines.includes(line)).length).toBeLessThanOrEqual(1);
});

test.each([
  ['no map', ''],
  ['an empty map', '  gatehouse:clientSecrets: {}\n'],
  ['a key without a value', '  gatehouse:clientSecrets: # none yet\n  gatehouse:policies: []\n'],
  ['a key that is null', '  gatehouse:clientSecrets: null\n'],
])('a first secret is written where there is %s', async (_, config) => {
  const [, after] = await written(config, '2026');
  expect(await secrets()).toEqual({ '2026': 'new: "secret"' });
  if (config.includes('#')) expect(after).toContain('gatehouse:clientSecrets: # none yet\n');
});

test.each([
  ['nothing', ''],
  ['comments', '# of the shop\n'],
  ['no config', '# of the shop\nsecretsprovider: passphrase\n'],
  ['an empty config', 'config:\n'],
  ['a config and Windows line breaks', '# of the shop\r\nconfig:\r\n  gatehouse:policies: []\r\n'],
  ['a map in braces', '{ config: { "gatehouse:policies": [] } }\n'],
])('a file with %s gets its salt with its first secret', async (_, before) => {
  await writeFile(path(), before);
  const stack = await readStack(folder, 'dev', env);
  await writeSecret(stack, { key, name: 'staff', value: 'x' }, env);
  expect(await secrets()).toEqual({ staff: 'x' });
  const after = await readFile(path(), 'utf8');
  for (const line of before.split('\n').filter((line) => line.startsWith('#'))) expect(after).toContain(line);
  if (before.includes('\r')) expect(after).not.toMatch(/[^\r]\n(?!$)/);
});

test.each([
  [
    'a map',
    () =>
      `  gatehouse:clientSecrets:\n    # people\n    staff: { secure: ${sealed('old')} } # old\n    other: { secure: ${sealed('kept')} }\n`,
  ],
  [
    'the end of a map',
    () =>
      `  gatehouse:clientSecrets:\n    other: { secure: ${sealed('kept')} }\n    staff:\n      secure: ${sealed('old')}\n`,
  ],
  [
    'a map in one line',
    () =>
      `  gatehouse:clientSecrets: { staff: { secure: ${sealed('old')} }, other: { secure: ${sealed('kept')} } }\n`,
  ],
  [
    'the end of a map in one line',
    () =>
      `  gatehouse:clientSecrets: { other: { secure: ${sealed('kept')} }, staff: { secure: ${sealed('old')} } }\n`,
  ],
  [
    'secrets encrypted as one',
    () => `  gatehouse:clientSecrets: { secure: ${sealed('{"staff":"old","other":"kept"}')} }\n`,
  ],
])('a secret is removed from %s', async (_, config) => {
  await writeFile(path(), `encryptionsalt: ${crypter.salt}\nconfig:\n${config()}  gatehouse:policies: []\n`);
  await writeSecret(await readStack(folder, 'dev', env), { key, name: 'staff', value: undefined }, env);
  expect(await secrets()).toEqual({ other: 'kept' });
  expect(await readFile(path(), 'utf8')).toContain('  gatehouse:policies: []\n');
});

test.each([
  ['a map', () => `  gatehouse:clientSecrets:\n    staff: { secure: ${sealed('old')} }\n`],
  ['secrets encrypted as one', () => `  gatehouse:clientSecrets: { secure: ${sealed('{"staff":"old"}')} }\n`],
])('the last secret of %s goes with its key', async (_, config) => {
  await writeFile(path(), `encryptionsalt: ${crypter.salt}\nconfig:\n${config()}`);
  await writeSecret(await readStack(folder, 'dev', env), { key, name: 'staff', value: undefined }, env);
  expect(await readFile(path(), 'utf8')).toBe(`encryptionsalt: ${crypter.salt}\nconfig:\n`);
});

test.each([
  [
    'through an alias',
    () => `  x:all: &all { other: { secure: ${sealed('kept')} } }\n  gatehouse:clientSecrets: *all\n`,
  ],
  ['as a text', () => '  gatehouse:clientSecrets: none\n'],
  ['as one text that is encrypted', () => `  gatehouse:clientSecrets: { secure: ${sealed('hush-hush')} }\n`],
])('secrets that are given %s are left as they are', async (_, config) => {
  const given = config();
  const error = await written(given).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'stack_file_invalid' });
  expect(error.message).not.toContain('hush');
  expect(await readFile(path(), 'utf8')).toContain(given);
});

test('a secret whose anchor is used elsewhere is not removed', async () => {
  const config = `  gatehouse:clientSecrets:\n    staff: &one { secure: ${sealed('old')} }\n    other: *one\n`;
  await writeFile(path(), `encryptionsalt: ${crypter.salt}\nconfig:\n${config}`);
  const removed = writeSecret(
    await readStack(folder, 'dev', env),
    { key, name: 'staff', value: undefined },
    env,
  );
  await expect(removed).rejects.toMatchObject({ code: 'stack_file_invalid' });
  expect(await readFile(path(), 'utf8')).toContain(config);
});

test('the same secret again leaves the file as it is', async () => {
  const [, before] = await written(`  gatehouse:clientSecrets: { staff: { secure: ${sealed('old')} } }\n`);
  await writeSecret(await readStack(folder, 'dev', env), { key, name: 'staff', value: 'new: "secret"' }, env);
  expect(await readFile(path(), 'utf8')).toBe(before);
});

test('a value that was changed by hand is replaced', async () => {
  await writeFile(
    path(),
    `encryptionsalt: ${crypter.salt}\nconfig: { gatehouse:clientSecrets: { staff: { secure: "v1:x:y" } } }\n`,
  );
  const stack = await readStackWithoutSecrets(folder, 'dev', env);
  await writeSecret(stack, { key, name: 'staff', value: 'x' }, env);
  expect(await secrets()).toEqual({ staff: 'x' });
});

test('a wrong passphrase writes nothing', async () => {
  const [, before] = await written(`  gatehouse:clientSecrets: { staff: { secure: ${sealed('old')} } }\n`);
  const stack = await readStack(folder, 'dev', env);
  const write = writeSecret(
    stack,
    { key, name: 'staff', value: 'x' },
    { PULUMI_CONFIG_PASSPHRASE: 'another' },
  );
  await expect(write).rejects.toMatchObject({ code: 'passphrase_wrong' });
  expect(await readFile(path(), 'utf8')).toBe(before);
});

test('a link to the file stays one', async () => {
  await written('');
  await rename(path(), join(folder, 'real.yaml'));
  await symlink('real.yaml', path());
  await writeSecret(await readStack(folder, 'dev', env), { key, name: 'staff', value: 'x' }, env);
  expect((await lstat(path())).isSymbolicLink()).toBe(true);
  expect(await secrets()).toEqual({ staff: 'x' });
});

test('without a passphrase nothing is written', async () => {
  const [, before] = await written(`  gatehouse:clientSecrets: { staff: { secure: ${sealed('old')} } }\n`);
  const stack = await readStack(folder, 'dev', env);
  await expect(writeSecret(stack, { key, name: 'staff', value: 'x' }, {})).rejects.toMatchObject({
    code: 'passphrase_missing',
  });
  expect(await readFile(path(), 'utf8')).toBe(before);
});
