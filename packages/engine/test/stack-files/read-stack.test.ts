import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createCrypter } from '../../src/passphrase.ts';
import { listStacks, readSealedStack, readStack } from '../../src/stack-files/read-stack.ts';
import { folderWith, project } from './project-folder.ts';

const passphrase = 'dev';
const env = { PULUMI_CONFIG_PASSPHRASE: passphrase };
const crypter = await createCrypter(passphrase);
const secure = (text: string): string => `{ secure: "${crypter.encrypt(text)}" }`;

async function readConfig(config: string, files: { project?: string; env?: Record<string, string> } = {}) {
  const directory = await folderWith({
    'Pulumi.yaml': files.project ?? project,
    'Pulumi.dev.yaml': `encryptionsalt: ${crypter.salt}\nconfig:\n${config.replace(/^/gm, '  ')}\n`,
  });
  return (await readStack(directory, 'dev', files.env ?? env)).config;
}

describe('what a stack is', () => {
  test('it has the names, the program, the salt and the home that its files say', async () => {
    const directory = await folderWith({
      'Pulumi.yaml':
        'name: house\nruntime: { name: nodejs, options: { typescript: false } }\nmain: program/\n',
      'Pulumi.dev.yaml': `encryptionsalt: ${crypter.salt}\n`,
    });
    expect(await readStack(directory, 'dev', {})).toEqual({
      directory,
      project: 'house',
      main: 'program/',
      name: 'dev',
      config: new Map(),
      encryptionSalt: crypter.salt,
      home: join(directory, '.gatehouse'),
    });
  });

  test('GATEHOUSE_HOME moves its home', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': '' });
    expect((await readStack(directory, 'dev', { GATEHOUSE_HOME: '/somewhere' })).home).toBe('/somewhere');
  });

  test('its program is "." where the project names none', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': '' });
    expect((await readStack(directory, 'dev', {})).main).toBe('.');
  });

  test.each([['stackConfigDir: stacks'], ['config: stacks']])('its file is found by `%s`', async (line) => {
    const directory = await folderWith({
      'Pulumi.yaml': `${project}${line}\n`,
      'stacks/Pulumi.dev.yaml': 'config: { a: b }\n',
    });
    expect((await readStack(directory, 'dev', {})).config.get('gatehouse:a')?.value).toBe('b');
  });

  test('the stacks of a project are those with a file', async () => {
    const directory = await folderWith({
      'Pulumi.yaml': project,
      'Pulumi.prod.yaml': '',
      'Pulumi.dev.yaml': '',
      'Pulumi.txt': '',
    });
    expect(await listStacks(directory)).toEqual(['dev', 'prod']);
  });
});

describe('configuration values (sdk/go/common/resource/config/value.go, object.go)', () => {
  test.each([
    ['a text', 'key: text', 'text'],
    ['a quoted number', 'key: "0012"', '0012'],
    ['an integer', 'key: 12', '12'],
    ['a hexadecimal integer', 'key: 0x10', '16'],
    ['an integer beyond 2^53', 'key: 9007199254740993', '9007199254740993'],
    ['a fraction', 'key: 1.50', '1.5'],
    ['true', 'key: true', 'true'],
    ['yes', 'key: yes', 'yes'],
    ['nothing', 'key:', ''],
    ['a text of several lines', 'key: |\n  a\n  b', 'a\nb\n'],
    ['an unquoted instant', 'key: 2026-12-01T00:00:00Z', '2026-12-01 00:00:00 +0000 UTC'],
    ['a quoted instant', "key: '2026-12-01T00:00:00Z'", '2026-12-01T00:00:00Z'],
    ['a tagged text', 'key: !!str 12', '12'],
    ['a list', 'key: [a, 1, true, null, 1.5]', '["a",1,true,null,1.5]'],
    ['an object, its keys in order', 'key: { b: 1, a: { d: [], c: {} } }', '{"a":{"c":{},"d":[]},"b":1}'],
    ['a large integer in an object', 'key: { a: 9007199254740993 }', '{"a":9007199254740993}'],
    ['an alias', 'base: &b { a: 1 }\nkey: *b', '{"a":1}'],
    ['a merge key', 'base: &b { a: 1, c: 1 }\nkey: { <<: *b, a: 2 }', '{"a":2,"c":1}'],
    [
      'several merged mappings',
      'x: &x { a: 1 }\ny: &y { a: 2, b: 2 }\nkey: { <<: [*x, *y] }',
      '{"a":1,"b":2}',
    ],
    ['what HTML would read', 'key: ["<&>"]', '["\\u003c\\u0026\\u003e"]'],
    ['the key secure beside others', 'key: { secure: a, other: b }', '{"other":"b","secure":"a"}'],
    ['a number under the key secure', 'key: { secure: 1 }', '{"secure":1}'],
  ])('%s', async (_, config, value) => {
    expect((await readConfig(config)).get('gatehouse:key')).toEqual({ value, secret: false });
  });

  test.each([
    ['key', 'gatehouse:key'],
    ['gatehouse:key', 'gatehouse:key'],
    ['vault:address', 'vault:address'],
    ['vault:config:address', 'vault:address'],
  ])('the key %s is %s', async (key, full) => {
    expect([...(await readConfig(`${key}: a`)).keys()]).toEqual([full]);
  });

  test('an encrypted text is decrypted and secret', async () => {
    const config = await readConfig(`key: ${secure('hidden')}`);
    expect(config.get('gatehouse:key')).toEqual({
      value: 'hidden',
      secret: true,
      secrets: ['hidden'],
    });
  });

  test('encrypted texts anywhere in an object are decrypted in their places, and the whole is secret', async () => {
    const config = await readConfig(`key: { staff: ${secure('a"b')}, list: [${secure('12')}], open: c }`);
    expect(config.get('gatehouse:key')).toEqual({
      value: '{"list":["12"],"open":"c","staff":"a\\"b"}',
      secret: true,
      secrets: ['12', 'a"b'],
      clear: ['open'],
    });
  });

  test('without secrets no passphrase is asked for', async () => {
    expect((await readConfig('key: a', { env: {} })).size).toBe(1);
  });
});

describe("the project's configuration (sdk/go/common/workspace/config.go)", () => {
  const declaring = (config: string): { project: string } => ({
    project: `${project}config:\n${config.replace(/^/gm, '  ')}\n`,
  });

  test.each([
    ['a default', 'a: { default: 1 }', 'b: 0', '1'],
    ['a value', 'a: { value: { x: [true] } }', 'b: 0', '{"x":[true]}'],
    ['a shorthand text', 'a: text', 'b: 0', 'text'],
    ['a shorthand list', 'a: [1]', 'b: 0', '[1]'],
    ["the stack's own value before the default", 'a: { default: 1 }', 'a: 2', '2'],
  ])('%s', async (_, declared, config, value) => {
    expect((await readConfig(config, declaring(declared))).get('gatehouse:a')?.value).toBe(value);
  });

  test('a declared key without a default must be in the stack; all that lack are named', async () => {
    await expect(
      readConfig('c: 1', declaring('b: { type: string }\na: { description: x }')),
    ).rejects.toMatchObject({ code: 'config_missing', message: expect.stringContaining('no a, b') });
  });

  test('a declared key of another namespace may lack', async () => {
    expect((await readConfig('c: 1', declaring('vault:address: { description: x }'))).size).toBe(1);
  });

  test('a key declared secret must be encrypted', async () => {
    await expect(readConfig('a: open', declaring('a: { type: string, secret: true }'))).rejects.toMatchObject(
      { code: 'config_type_wrong', message: expect.not.stringContaining('open') },
    );
  });
});

describe('what is wrong, and where', () => {
  const readFile = async (content: string) =>
    readStack(await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': content }), 'dev', env);
  const nested = 'bcdefghij'.replace(
    /./g,
    (name, at) => `  a:${name}: &${name} [${`*${'abcdefghi'[at]}, `.repeat(10)}]\n`,
  );

  test.each([
    ['YAML that is none', 'config: [', '1:1'],
    ['a key given twice', 'config:\n  a: 1\n  a: 2\n', '3:3'],
    ['a key given with and without its namespace', 'config:\n  a: 1\n  gatehouse:a: 2\n', '3:3'],
    ['a key of three parts', 'config:\n  a:b:c: 1\n', '2:3'],
    ['a key that is a number', 'config:\n  a: { 1: b }\n', '2:8'],
    ['a list for the file', '- a\n', '1:1'],
    ['a list for the configuration', 'config: [a]\n', '1:9'],
    ['infinity', 'config:\n  a: .inf\n', '2:6'],
    ['a tag', 'config:\n  a: !!int "1"\n', '2:12'],
    [
      'a second document',
      'config: {}\n---\n',
      '2:1: The file must be one YAML document, and a second begins here.',
    ],
    ['an alias of nothing', 'config:\n  a: [*b]\n', '2:7: No anchor `&b` comes before this.'],
    ['an anchor in itself', 'config:\n  a: &b { c: [*b] }\n', '2:15: The anchor `&b` contains itself.'],
    [
      'aliases of aliases',
      `config:\n  a:a: &a [1]\n${nested}`,
      '8:11: Aliases (`*name`) make this too large.',
    ],
    ['a mistyped key of the file', 'confg: {}\n', '1:1'],
    ['a secret without a salt', 'config:\n  a: { secure: v1:x:y }\n', '2:6: '],
  ])('%s is no stack file', async (_, content, where) => {
    const message = expect.stringContaining(`Pulumi.dev.yaml:${where}`);
    await expect(readFile(content)).rejects.toMatchObject({ code: 'stack_file_invalid', message });
  });

  test('what restores a salt that is missing is told', async () => {
    await expect(readFile('config:\n  a: { secure: v1:x:y }\n')).rejects.toThrow(
      /Restore `encryptionsalt` from version control\./,
    );
  });

  const config = 'config: { a: { secure: v1:x:y } }\n';
  test.each([
    ['a KMS', `secretsprovider: awskms://alias/a\n${config}`, 'awskms://alias/a'],
    ['an encrypted key', `encryptedkey: abc\n${config}`, 'Pulumi.dev.yaml:1:1'],
    ['Pulumi Cloud, without a key', 'config: { a: { secure: AAABANqI8w== } }\n', 'Pulumi.dev.yaml:1:14: '],
  ])('a secret of another secrets provider is told: %s', async (_, content, where) => {
    const message = expect.stringContaining(where);
    await expect(readFile(content)).rejects.toMatchObject({ code: 'secrets_provider_unsupported', message });
  });

  const changed = '{ secure: v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAA }';
  test.each([
    ['an ESC environment', 'environment: [shared]\n', 'stack_environment_unsupported', '1:1'],
    [
      'a changed secret',
      `encryptionsalt: ${crypter.salt}\nconfig:\n  a: ${changed}\n`,
      'ciphertext_invalid',
      '3:6',
    ],
  ])('%s is told with its place', async (_, content, code, where) => {
    const message = expect.stringContaining(`Pulumi.dev.yaml:${where}`);
    await expect(readFile(content)).rejects.toMatchObject({ code, message });
  });

  const encrypting = 'config: { a: { value: { secure: x } } }';
  test.each([
    ['no project', {}, 'project_missing'],
    ['a project without a name', { 'Pulumi.yaml': 'runtime: nodejs' }, 'stack_file_invalid'],
    ['a project of another language', { 'Pulumi.yaml': 'name: a\nruntime: python' }, 'runtime_unsupported'],
    ['a project that encrypts', { 'Pulumi.yaml': `${project}${encrypting}` }, 'stack_file_invalid'],
  ])('%s', async (_, files, code) => {
    await expect(readStack(await folderWith(files), 'dev', env)).rejects.toMatchObject({ code });
  });

  test('a file in another encoding is told with its line', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project });
    await writeFile(join(directory, 'Pulumi.dev.yaml'), Buffer.from('config:\n  a: Zürich\n', 'latin1'));
    await expect(readStack(directory, 'dev', env)).rejects.toThrow(
      /^Pulumi\.dev\.yaml:2: This is not UTF-8\./,
    );
  });

  test('a file that cannot be read is told by its name', async () => {
    const directory = await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml/file': '' });
    await expect(readStack(directory, 'dev', env)).rejects.toMatchObject({
      code: 'stack_file_invalid',
      message: 'Pulumi.dev.yaml: The file cannot be read (EISDIR).',
    });
  });

  test('an unknown stack is told with those that are known', async () => {
    const directory = await folderWith({
      'Pulumi.yaml': project,
      'Pulumi.dev.yaml': '',
      'Pulumi.prod.yaml': '',
    });
    await expect(readStack(directory, 'test', env)).rejects.toMatchObject({
      code: 'stack_unknown',
      parts: expect.objectContaining({ allowed: 'dev, prod' }),
    });
  });

  test.each(['../dev', 'a/b', '', '..', 'a b'])('%j is no name of a stack', async (name) => {
    const directory = await folderWith({ 'Pulumi.yaml': project });
    await expect(readStack(directory, name, env)).rejects.toMatchObject({ code: 'stack_name_invalid' });
  });

  test('a wrong passphrase is told with the first secret', async () => {
    await expect(
      readConfig(`open: a\nkey: ${secure('hidden')}`, { env: { PULUMI_CONFIG_PASSPHRASE: 'other' } }),
    ).rejects.toMatchObject({
      code: 'passphrase_wrong',
      message: expect.stringContaining('Pulumi.dev.yaml:4:8'),
    });
  });

  test('no passphrase is told where something is encrypted', async () => {
    await expect(readConfig(`key: ${secure('hidden')}`, { env: {} })).rejects.toMatchObject({
      code: 'passphrase_missing',
    });
  });

  test('nothing of a secret is in an error that comes after it was read', async () => {
    await expect(
      readConfig(`key: ${secure('hidden')}`, { project: `${project}config: { other: { type: integer } }` }),
    ).rejects.toThrow(/^(?!.*hidden)/s);
  });
});

describe('a sealed stack', () => {
  const read = async (content: string) =>
    await readSealedStack(
      await folderWith({ 'Pulumi.yaml': project, 'Pulumi.dev.yaml': content }),
      'dev',
      {},
    );

  test('has its secrets as ciphertexts, and says so', async () => {
    const { config, isSealed } = await read(
      'secretsprovider: awskms://alias/a\nconfig: { open: a, key: { staff: { secure: v1:x:y } } }\n',
    );
    expect(Object.fromEntries(config)).toEqual({
      'gatehouse:open': { value: 'a', secret: false },
      'gatehouse:key': { value: '{"staff":"v1:x:y"}', secret: true, secrets: ['v1:x:y'] },
    });
    expect(isSealed).toBe(true);
  });

  test('is as open as any other where nothing is encrypted', async () => {
    expect(await read('secretsprovider: awskms://alias/a\n')).not.toHaveProperty('isSealed');
  });

  test.each([
    ['a KMS', 'secretsprovider: gcpkms://projects/p\nencryptedkey: abc\nencryptionsalt: v1:a:v1:b:c\n'],
    ['an encrypted key', 'encryptedkey: abc\n'],
    ['Pulumi Cloud', 'config: { a: { secure: AAABANqI8w== } }\n'],
  ])('names its secrets provider: %s', async (_, content) => {
    expect((await read(content)).secretsProvider?.name).toMatch(
      /^(gcpkms:\/\/projects\/p|one with an encrypted key|Pulumi Cloud)$/,
    );
  });

  test.each([
    ['a salt', `encryptionsalt: ${crypter.salt}\nconfig: { a: { secure: AAABANqI8w== } }\n`],
    ['the name', 'secretsprovider: passphrase\n'],
    ['the default of a local backend', 'secretsprovider: default\nconfig: { a: { secure: v1:x:y } }\n'],
    ['nothing', ''],
  ])('is of a passphrase by %s', async (_, content) => {
    expect(await read(content)).not.toHaveProperty('secretsProvider');
  });

  test('says where it imports environments', async () => {
    expect((await read('environment: [shared]\n')).importsAt).toBe('Pulumi.dev.yaml:1:1');
  });
});

test('values set with the same passphrase by `pulumi config set --secret` decrypt', async () => {
  // A salt and a value made with Pulumi's Go code (mheers/pulumi-helper `stack/crypt_test.go`).
  const directory = await folderWith({
    'Pulumi.yaml': project,
    'Pulumi.dev.yaml': [
      'encryptionsalt: v1:LAQ7P6sT/+w=:v1:WejwuMb5G4TZsR/r:xZvrv45hbT2QRrHCkQrepVv3xQfMjw==',
      'config:',
      '  gatehouse:key:',
      '    secure: v1:6rgJQkU0YY5NFozT:HN1XFZSfr2YW1Pi1QtMfUJjad4w=',
    ].join('\n'),
  });
  const stack = await readStack(directory, 'dev', { PULUMI_CONFIG_PASSPHRASE: 'foo' });
  expect(stack.config.get('gatehouse:key')).toEqual({ value: 'test', secret: true, secrets: ['test'] });
});
