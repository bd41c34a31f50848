import { expect, test } from '@jest/globals';
import { DescribedResource } from '../../components/described-resource.ts';
import { PolicyResource } from '../../components/policy.ts';
import { policy } from '../../core/model/resources/policy.ts';
import type { AnyResource } from '../../core/model/resources/resources.ts';
import { register } from '../harness/pulumi-mocks.ts';

test('a resource that is made by its description is what its class registers', async () => {
  const { official } = policy;
  if (official === undefined) throw new Error('a policy has an official resource');
  const part = { name: 'read', text: 'path "a" {}' };
  const described = { ...(policy as AnyResource), official } as ConstructorParameters<
    typeof DescribedResource
  >[0];
  expect(await register(() => new DescribedResource(described, part))).toEqual(
    await register(() => new PolicyResource('read', part)),
  );
});
