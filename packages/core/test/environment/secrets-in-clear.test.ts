import { describe, expect, test } from '@jest/globals';
import { environmentFromConfig } from '../../src/environment/environment-config.ts';
import {
  hasSecretInClear,
  type InClear,
  inClearInStackFile,
} from '../../src/environment/secrets-in-clear.ts';
import { errorOf } from './error-of.ts';

const sealed = '{ secure: "v1:x" }';
const files = (given: Record<string, string>) => (path: string) => {
  const text = given[path];
  if (text === undefined) throw new Error('ENOENT');
  return text;
};

describe('what of a key is not encrypted in the stack file', () => {
  test.each<[string, string, InClear]>([
    ['a map in clear', '{ git: a, shop: b }', ['git', 'shop']],
    ['a map with some in clear', `{ git: ${sealed}, shop: b }`, ['shop']],
    ['a map of ciphertexts', `{ git: ${sealed}, shop: ${sealed} }`, []],
    ['all as one ciphertext', sealed, []],
    ['a text', 'hunter2', 'all'],
    ['a list', '[hunter2]', 'all'],
    ['a text that is JSON', `'{"git":"a"}'`, ['git']],
    [
      'a text that is JSON and names ciphertexts, which Pulumi does not decrypt',
      `'{"git":{"secure":"v1:x"}}'`,
      ['git'],
    ],
    ['a map that only looks like a ciphertext', '{ git: { secure: "v1:x", more: a } }', ['git']],
    ['nothing', '', []],
  ])('%s', (_, value, expected) => {
    const readFile = files({ 'Pulumi.dev.yaml': `config:\n  gatehouse:clientSecrets: ${value}\n` });
    expect(inClearInStackFile({ readFile, stack: 'dev' })('gatehouse:clientSecrets')).toEqual(expected);
  });

  test.each(['clientSecrets', 'gatehouse:config:clientSecrets'])('below the key %s', (key) => {
    const readFile = files({ 'Pulumi.dev.yaml': `config: { "${key}": { git: a } }` });
    expect(inClearInStackFile({ readFile, stack: 'dev' })('gatehouse:clientSecrets')).toEqual(['git']);
  });

  test('in the folder that the project names', () => {
    const readFile = files({
      'Pulumi.yaml': 'name: x\nstackConfigDir: stacks\n',
      'stacks/Pulumi.dev.yaml': 'config: { "gatehouse:runTaskKeys": { mine: a } }',
    });
    expect(inClearInStackFile({ readFile, stack: 'dev' })('gatehouse:runTaskKeys')).toEqual(['mine']);
  });

  test('nothing of a file that is not there', () => {
    expect(inClearInStackFile({ readFile: files({}), stack: 'dev' })('gatehouse:clientSecrets')).toEqual([]);
  });
});

test.each([
  ['a stack file with one in clear', `config:\n  gatehouse:clientSecrets: { a: ${sealed}, b: x }\n`, true],
  ['a stack file with none in clear', `config:\n  gatehouse:clientSecrets: { a: ${sealed} }\n`, false],
  ['a file of an environment', 'runTaskKeys: { mine: x }', true],
  ['a project file', 'config: { "gatehouse:serviceAccountKeys": { value: { a: x } } }', true],
  ['a stack file of another program', 'config: { "other:clientSecret": x }', false],
  ['a list', '- clientSecrets', false],
])('%s has a secret in clear: %#', (_, text, expected) => {
  expect(hasSecretInClear(text)).toBe(expected);
});

const service = JSON.stringify({ address: 'https://secrets.example.com' });
const noFile = files({});

describe('secrets that are not encrypted', () => {
  const providers = JSON.stringify(
    ['git', 'shop', 'crew'].map((name) => ({ kind: 'source_hosting', name, clientId: 'client' })),
  );
  const inClear = (
    config: Record<string, string>,
    clear: Record<string, InClear>,
    readFile: (path: string) => string = noFile,
  ) =>
    errorOf(() =>
      environmentFromConfig({
        config: { 'gatehouse:service': service, 'gatehouse:providers': providers, ...config },
        readFile,
        stack: 'dev',
        inClear: (key) => clear[key] ?? [],
      }),
    );
  const all = { git: 'hunter2', shop: 'hunter3', crew: 'hunter4' };

  test('are all refused at once, each at its line, with the command that seals it', () => {
    const yaml = `config:
  gatehouse:clientSecrets:
    git: hunter2
    shop: { secure: "v1:x" }
    crew: hunter4
  gatehouse:runTasks: [{ name: mine, url: /x, stages: [post_plan] }]
  gatehouse:runTaskKeys: { mine: PLAINKEY }
  gatehouse:policies: [{ name: a }]
`;
    const { code, message } = inClear(
      {
        'gatehouse:clientSecrets': JSON.stringify(all),
        'gatehouse:runTasks': '[{ "name": "mine", "url": "/integrator/x", "stages": ["post_plan"] }]',
        'gatehouse:runTaskKeys': '{"mine":"PLAINKEY"}',
        'gatehouse:policies': '[{ "name": "a" }]',
      },
      { 'gatehouse:clientSecrets': ['git', 'crew'], 'gatehouse:runTaskKeys': 'all' },
      files({ 'Pulumi.dev.yaml': yaml }),
    );
    expect(code).toBe('environment_invalid');
    expect(message.split('\n  ').filter((line) => !line.includes('policies'))).toEqual([
      'the configuration has 4 problems:',
      'Pulumi.dev.yaml:3:5: gatehouse:clientSecrets.git: is not encrypted; seal it with: gatehouse secret set -s dev clientSecrets.git',
      'Pulumi.dev.yaml:5:5: gatehouse:clientSecrets.crew: is not encrypted; seal it with: gatehouse secret set -s dev clientSecrets.crew',
      'Pulumi.dev.yaml:7:28: gatehouse:runTaskKeys.mine: is not encrypted; seal it with: gatehouse secret set -s dev runTaskKeys.mine',
    ]);
    expect(message).toContain('gatehouse:policies[0]');
    expect(message).not.toMatch(/hunter|PLAINKEY/);
  });

  test('are located in the file of the project that gives them to all stacks', () => {
    const yaml = 'name: x\nconfig:\n  gatehouse:clientSecrets: { value: { git: hunter2 } }\n';
    const { message } = inClear(
      { 'gatehouse:clientSecrets': JSON.stringify(all) },
      { 'gatehouse:clientSecrets': 'all' },
      (path) => (path === 'Pulumi.yaml' ? yaml : noFile(path)),
    );
    expect(message).toContain('Pulumi.yaml:3:3: gatehouse:clientSecrets.git: is not encrypted');
    expect(message).not.toContain('hunter');
  });

  test('are refused in the file of gatehouse:file, each at its line', () => {
    const { code, message } = inClear({ 'gatehouse:file': 'more.yaml' }, {}, (path) =>
      path === 'more.yaml'
        ? 'clientSecrets:\n  git: hunter2\n  shop: hunter3\n  crew: hunter4\n'
        : noFile(path),
    );
    expect(code).toBe('environment_invalid');
    expect(message.split('\n  ').slice(1)).toEqual(
      ['git', 'shop', 'crew'].map(
        (name, at) =>
          `more.yaml:${at + 2}:3: gatehouse:clientSecrets.${name}: secrets stand in the stack’s file, encrypted; remove it here, then set it with: gatehouse secret set -s dev clientSecrets.${name}`,
      ),
    );
  });

  test('are refused in a template and in the values of a use, and not repeated', () => {
    const { message } = inClear(
      {
        'gatehouse:templates': '{"team":{"clientSecrets":{"git":"hunter2"}}}',
        'gatehouse:use': '[{"template":"team","with":{"clientSecrets":{"git":"hunter3"}}}]',
        'gatehouse:clientSecrets': JSON.stringify(all),
      },
      {},
    );
    expect(message).toContain(
      'gatehouse:templates.team: unknown key `clientSecrets`; secrets have their own key',
    );
    expect(message).toContain('gatehouse:use[0].with.clientSecrets: must be text');
    expect(message).not.toContain('hunter');
  });
});
