import { describe, expect, test } from '@jest/globals';
import { Policy } from '../../components/policy.ts';
import { register } from '../harness/pulumi-mocks.ts';

describe('Policy', () => {
  test('registers the official resource and nothing else', async () => {
    expect(await register(() => new Policy('read', { name: 'read', text: 'path "a" {}' }))).toEqual([
      {
        urn: 'urn:pulumi:test::gatehouse::vault:index/policy:Policy::read',
        type: 'vault:index/policy:Policy',
        name: 'read',
        inputs: { name: 'read', policy: 'path "a" {}' },
        parent: '',
        provider: '',
        deleteBeforeReplace: false,
        additionalSecretOutputs: [],
        dependencies: [],
      },
    ]);
  });
});
