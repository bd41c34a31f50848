import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createCrypter } from '../../../engine/passphrase.ts';
import { readStack } from '../../../engine/stack-files/read-stack.ts';
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
async function written(config: string, name = 'staff', value = 'new: "secret"'): Promise<[string, string]> {
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
  ['is not there', () => `  gatehouse:clientSecrets: { other: { secure: ${sealed('kept')} } }\n`],
  [
    'comes from a merged map',
    () =>
      `  other:all: &all { staff: { secure: ${sealed('old')} } }\n  gatehouse:clientSecrets: { <<: *all }\n`,
  ],
])('a secret that %s is refused', async (_, config) => {
  await expect(written(config())).rejects.toMatchObject({ code: 'stack_file_invalid' });
});

test('without a passphrase nothing is written', async () => {
  const [, before] = await written(`  gatehouse:clientSecrets: { staff: { secure: ${sealed('old')} } }\n`);
  const stack = await readStack(folder, 'dev', env);
  await expect(writeSecret(stack, { key, name: 'staff', value: 'x' }, {})).rejects.toMatchObject({
    code: 'passphrase_missing',
  });
  expect(await readFile(path(), 'utf8')).toBe(before);
});
