import { describe, expect, test } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { stackFileSchema } from '../../packages/core/src/environment/stack-file-schema.ts';
import { reference } from '../../scripts/write-reference.ts';
import { namedBlocks, projectFiles, read } from './markdown.ts';

test.each(Object.entries(reference()))(
  '%s is as its tables say (node scripts/write-reference.ts)',
  (path, text) => {
    expect(read(path)).toBe(text);
  },
);

describe('the JSON Schema of a stack file', () => {
  const validate = new Ajv2020.default({ strict: false, validateFormats: false }).compile(stackFileSchema());
  const problems = (text: string) => (validate(parse(text)) ? [] : (validate.errors ?? []));

  const stackFiles = projectFiles('Pulumi.*.yaml', 'examples/**/Pulumi.*.yaml');
  test.each(stackFiles)('takes %s', (file) => {
    expect(problems(read(file))).toEqual([]);
  });

  test.each(namedBlocks('yaml environment'))('takes the environment at %s', (_, { text }) => {
    expect(problems(text)).toEqual([]);
  });

  const staff = '{ kind: source_hosting, name: staff, clientId: c, roles: [%] }';
  const withRole = (role: string) => `config: { gatehouse:providers: [${staff.replace('%', role)}] }`;
  test('takes other spellings of a role’s fields', () => {
    expect(problems(withRole('{ name: a, tokenTtl: 1h, tokenPolicies: [b] }'))).toEqual([]);
  });

  test.each(['GitLab', 'gitlab', 'source_hosting'])('takes a kind by the name %s', (name) => {
    expect(problems(withRole('{ name: a }').replace('source_hosting', name))).toEqual([]);
  });

  test.each([
    ['a key that is none of an environment’s', 'config: { gatehouse:provider: [] }'],
    ['a kind that there is not', 'config: { gatehouse:providers: [{ kind: nothing, name: a }] }'],
    ['a field that a role does not have', withRole('{ name: a, policy: [b] }')],
    ['a number for a text', withRole('{ name: a, userClaim: 1 }')],
    ['a value that a field does not take', withRole('{ name: a, boundClaimsType: regex }')],
    ['a missing service address', 'config: { gatehouse:service: {} }'],
    ['a client secret that is a list', 'config: { gatehouse:clientSecrets: [a] }'],
  ])('refuses %s', (_, text) => {
    expect(problems(text)).not.toEqual([]);
  });
});
