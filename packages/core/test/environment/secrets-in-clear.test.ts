import { describe, expect, test } from '@jest/globals';
import {
  hasSecretInClear,
  type InClear,
  inClearInStackFile,
} from '../../src/environment/secrets-in-clear.ts';

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
