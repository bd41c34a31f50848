import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DeploymentRequest, DeploymentResult, PolicyPackRequest } from '../../../engine/engine.ts';
import { withBinding } from '../../../engine/pulumi/binding.ts';
import type { Stack } from '../../../engine/stack.ts';
import { changes, type DevConfig, EnvironmentUnderTest, root } from '../../harness/environment-under-test.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { describeOnBothServers } from '../../harness/two-servers.ts';

const provider = (config: DevConfig, name: string) =>
  config['providers'].find((one: { name: string }) => one.name === name);

// The policy pack that holds a CLI without update plans runs in the local engine here, which asks packs as the CLI does.
describeOnBothServers('the policy pack of a reviewed up', (server) => {
  let environment: EnvironmentUnderTest;
  beforeAll(async () => {
    environment = await EnvironmentUnderTest.start(server());
  });
  afterAll(() => environment?.close());

  /** Applies one stack with the pack that holds it to the preview of another. */
  const upAfterReviewOf = async (
    reviewedStack: Stack,
    stack = reviewedStack,
    policyPacks: PolicyPackRequest[] = [],
  ): Promise<DeploymentResult> => {
    const reviewed = await environment.run('preview', reviewedStack);
    const request: DeploymentRequest = {
      ...{ verb: 'up', dryRun: false, refresh: false, targets: [] },
      ...{ stack, reviewed, policyPacks },
    };
    return withBinding(
      request,
      async () => false,
      { allowsUnbound: false },
      (binding) => environment.run('up', stack, { policyPacks: binding.policyPacks }),
    );
  };
  const said = ({ diagnostics }: DeploymentResult) =>
    diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);

  test('lets a first up make all that was reviewed, and then nothing', async () => {
    const first = await upAfterReviewOf(environment.stack());
    expect([first.succeeded, said(first)]).toEqual([true, []]);
    expect(changes(await upAfterReviewOf(environment.stack()))).toEqual([]);
  });

  test('refuses a policy that a role got after the review, before it is written', async () => {
    await environment.run('up');
    const reviewed = environment.stack((config) => {
      provider(config, 'staff').roles.find(({ name }: any) => name === 'reader').ttl = '30m';
    });
    const shimmed = environment.stack((config) => {
      Object.assign(
        provider(config, 'staff').roles.find(({ name }: any) => name === 'reader'),
        {
          ...{ ttl: '30m', policies: ['secrets-read', 'login-admin'] },
        },
      );
    });
    const result = await upAfterReviewOf(reviewed, shimmed);
    expect(result.succeeded).toBe(false);
    expect(said(result).join()).toContain('Other values than in the plan that was reviewed: tokenPolicies.');
    const role = await environment.client.read('auth/staff/role/reader');
    expect(role?.data['token_policies']).toEqual(['secrets-read']);
    // As reviewed, it is made.
    expect(changes(await upAfterReviewOf(reviewed))).toEqual(['update staff-reader']);
  });

  test('refuses a role that came after the review', async () => {
    await environment.run('up');
    const more = environment.stack((config) => {
      provider(config, 'cluster').roles.push({ ...provider(config, 'cluster').roles[0], name: 'more' });
    });
    const result = await upAfterReviewOf(environment.stack(), more);
    expect(said(result).join()).toContain('It is not in the plan that was reviewed.');
    expect((await environment.live()).roles).not.toContain('cluster/more');
  });

  test('judges as it was asked to, too', async () => {
    await environment.run('up');
    const config = join(temporaryFolder(), 'config.json');
    await writeFile(config, JSON.stringify({ 'cannot-be-judged': { before: '/nowhere/before.json' } }));
    const packs = [{ folder: `${root}/packages/policy-pack`, config }];
    const result = await upAfterReviewOf(environment.stack(), environment.stack(), packs);
    expect(said(result).join()).toContain('the file with the state before cannot be read');
  });
});
