import { lstat, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createCrypter } from '../../src/passphrase.ts';
import { readSealedStack, readStack } from '../../src/stack-files/read-stack.ts';
import { writeSecret } from '../../src/stack-files/write-secret.ts';

const env = { PULUMI_CONFIG_PASSPHRASE: 'only a test' };
const crypter = await createCrypter('only a test');
const key = 'gatehouse:clientSecrets';
const map = `  ${key}:`;
const head = `encryptionsalt: ${crypter.salt}\nconfig:\n`;

/** What stands for the ciphertext of a text in the files below. */
const ciphertexts: Record<string, string> = {
  OLD: 'old',
  KEPT: 'kept',
  BOTH: '{"staff":"old","other":"kept"}',
  OTHER: '{"other":"kept"}',
  STAFF: '{"staff":"old"}',
  HUSH: 'hush-hush',
};
const sealed = (yaml: string) =>
  yaml.replace(/\b(OLD|KEPT|BOTH|OTHER|STAFF|HUSH)\b/g, (name) => crypter.encrypt(ciphertexts[name] ?? ''));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-'));
  await writeFile(join(folder, 'Pulumi.yaml'), 'name: gatehouse\nruntime: nodejs\n');
});
afterEach(() => rm(folder, { recursive: true }));

const path = () => join(folder, 'Pulumi.dev.yaml');
const text = () => readFile(path(), 'utf8');
const write = async (value: string | undefined, name = 'staff', from = env as NodeJS.ProcessEnv) =>
  await writeSecret(await readStack(folder, 'dev', env), { key, name, value }, from);
async function written(config: string, name = 'staff'): Promise<[string, string]> {
  const service = '  gatehouse:service:   { address: http://127.0.0.1:1 }\n';
  const before = `# a comment\n${head}${service}${sealed(config)}`;
  await writeFile(path(), before);
  await write('new: "secret"', name);
  return [before, await text()];
}
const removed = async (config: string) => {
  await writeFile(path(), `${head}${config}`);
  await write(undefined);
};
const secrets = async () => JSON.parse((await readStack(folder, 'dev', env)).config.get(key)?.value ?? '');
/** The lines that an edit took away or changed. */
const gone = (before: string, after: string) => {
  const lines = after.split('\n');
  return before.split('\n').filter((line) => !lines.includes(line)).length;
};

test.each([
  ['in one line', `${map}\n    staff: { secure: "OLD" } # of people\n    other: { secure: KEPT }\n`],
  ['in lines', `${map}\n    staff:\n      secure: OLD\n    other:\n      secure: KEPT\n`],
  [
    'below a key without the project',
    `  clientSecrets: { staff: { secure: 'OLD' }, other: { secure: KEPT } }\n`,
  ],
  ['folded', `${map}\n    staff:\n      secure: >-\n        OLD\n    other: { secure: KEPT }\n`],
  ['in the clear', `${map}\n    staff: old\n    other: { secure: KEPT }\n`],
  ['through an alias', `${map}\n    other: &one { secure: KEPT }\n    staff: *one\n`],
  ['all as one', `${map} { secure: BOTH }\n`],
])('a secret that stands %s is replaced, and nothing else', async (_, config) => {
  const [before, after] = await written(config);
  expect(await secrets()).toEqual({ staff: 'new: "secret"', other: 'kept' });
  expect(after).not.toContain('new:');
  // At most the line or two of the secret itself.
  expect(gone(before, after)).toBeLessThanOrEqual(2);
  expect(after).toContain('# a comment');
});

test('of secrets in a text of JSON, each becomes an entry of a map, and one is encrypted', async () => {
  const [, after] = await written(`${map} '{"staff":"old","other":"kept"}' # by the CLI\n`);
  expect(await secrets()).toEqual({ staff: 'new: "secret"', other: 'kept' });
  expect(after).toMatch(
    /clientSecrets: \{ "staff": \{ secure: "v1:[^"]+" \}, "other": "kept" \} # by the CLI\n/,
  );
});

test('no draft is left, and the encryption salt stays', async () => {
  const [, after] = await written(`${map} { staff: { secure: OLD } }\n`);
  expect(after).toContain(crypter.salt);
  expect((await readdir(folder)).sort()).toEqual(['Pulumi.dev.yaml', 'Pulumi.yaml']);
});

test.each([
  ['a map', `${map}\n    other: { secure: KEPT }`],
  [
    'a map with a comment behind it, and another key',
    `${map} # of people\n      other:\n        secure: KEPT # old\n\n  # policies\n  gatehouse:policies: []\n`,
  ],
  ['a map in one line', `${map} { other: { secure: KEPT } } # one\n`],
  ['a map in several lines of braces', `${map} {\n    other: { secure: KEPT }\n  }\n`],
  ['a folded secret', `${map}\n    other:\n      secure: >-\n        KEPT\n`],
  ['a merged map', `  x:all: &all { other: { secure: KEPT } }\n${map}\n    <<: *all\n`],
  ['secrets encrypted as one', `  clientSecrets:\n    secure: OTHER\n`],
])('a new secret is added to %s', async (_, config) => {
  const [before, after] = await written(config);
  expect(await secrets()).toEqual({ other: 'kept', staff: 'new: "secret"' });
  expect(gone(before, after)).toBeLessThanOrEqual(1);
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
  await write('x');
  expect(await secrets()).toEqual({ staff: 'x' });
  const after = await text();
  for (const line of before.split('\n').filter((line) => line.startsWith('#'))) expect(after).toContain(line);
  if (before.includes('\r')) expect(after).not.toMatch(/[^\r]\n(?!$)/);
});

test.each([
  ['a map', `${map}\n    # people\n    staff: { secure: OLD } # old\n    other: { secure: KEPT }\n`],
  ['the end of a map', `${map}\n    other: { secure: KEPT }\n    staff:\n      secure: OLD\n`],
  ['a map in one line', `${map} { staff: { secure: OLD }, other: { secure: KEPT } }\n`],
  ['the end of a map in one line', `${map} { other: { secure: KEPT }, staff: { secure: OLD } }\n`],
  ['secrets encrypted as one', `${map} { secure: BOTH }\n`],
])('a secret is removed from %s', async (_, config) => {
  await removed(sealed(`${config}  gatehouse:policies: []\n`));
  expect(await secrets()).toEqual({ other: 'kept' });
  expect(await text()).toContain('  gatehouse:policies: []\n');
});

test.each([
  ['a map', `${map}\n    staff: { secure: OLD }\n`],
  ['secrets encrypted as one', `${map} { secure: STAFF }\n`],
])('the last secret of %s goes with its key', async (_, config) => {
  await removed(sealed(config));
  expect(await text()).toBe(head);
});

test.each([
  ['through an alias', `  x:all: &all { other: { secure: KEPT } }\n${map} *all\n`],
  ['as a text', `${map} none\n`],
  ['as one text that is encrypted', `${map} { secure: HUSH }\n`],
])('secrets that are given %s are left as they are', async (_, config) => {
  const given = sealed(config);
  const error = await written(given).catch((thrown) => thrown);
  expect(error).toMatchObject({ code: 'stack_file_invalid' });
  expect(error.message).not.toContain('hush');
  expect(await text()).toContain(given);
});

test('a secret whose anchor is used elsewhere is not removed', async () => {
  const config = sealed(`${map}\n    staff: &one { secure: OLD }\n    other: *one\n`);
  await expect(removed(config)).rejects.toMatchObject({ code: 'stack_file_invalid' });
  expect(await text()).toContain(config);
});

test('a value that was changed by hand is replaced', async () => {
  await writeFile(path(), `${head}${map} { staff: { secure: "v1:x:y" } }\n`);
  const stack = await readSealedStack(folder, 'dev', env);
  await writeSecret(stack, { key, name: 'staff', value: 'x' }, env);
  expect(await secrets()).toEqual({ staff: 'x' });
});

test.each<[string, string, NodeJS.ProcessEnv, string | undefined]>([
  ['the same secret again', 'new: "secret"', env, undefined],
  ['a wrong passphrase', 'x', { PULUMI_CONFIG_PASSPHRASE: 'another' }, 'passphrase_wrong'],
  ['no passphrase', 'x', {}, 'passphrase_missing'],
])('%s leaves the file as it is', async (_, value, from, code) => {
  const [, before] = await written(`${map} { staff: { secure: OLD } }\n`);
  const done = write(value, 'staff', from);
  await (code === undefined ? done : expect(done).rejects.toMatchObject({ code }));
  expect(await text()).toBe(before);
});

test('a link to the file stays one', async () => {
  await written('');
  await rename(path(), join(folder, 'real.yaml'));
  await symlink('real.yaml', path());
  await write('x');
  expect((await lstat(path())).isSymbolicLink()).toBe(true);
  expect(await secrets()).toEqual({ staff: 'x' });
});
