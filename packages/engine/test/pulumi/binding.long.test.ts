import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import {
  changes,
  type DevConfig,
  environmentFor,
  root,
} from '../../../../test/harness/environment-under-test.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { PulumiProject } from '../../../../test/harness/pulumi/pulumi-project.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { describeOnBothServers } from '../../../../test/harness/two-servers.ts';
import type { DeploymentRequest, DeploymentResult, PolicyPackRequest } from '../../src/engine.ts';
import { withBinding } from '../../src/pulumi/binding.ts';
import type { Stack } from '../../src/stack.ts';

const provider = (config: DevConfig, name: string) =>
  config['providers'].find((one: { name: string }) => one.name === name);

// As for a CLI without update plans: the real one is not told of its plan here.
describeOnBothServers('the policy pack of a reviewed up', (server) => {
  const environment = environmentFor(server);
  describeWithPulumi('by the real CLI', 'newest', (home) => {
    let project: PulumiProject;
    beforeAll(async () => {
      project = await PulumiProject.make(home(), environment());
    });

    /** Applies one stack with the pack that holds it to the preview of another. */
    const upAfterReviewOf = async (
      reviewedStack: Stack,
      stack = reviewedStack,
      policyPacks: PolicyPackRequest[] = [],
    ): Promise<DeploymentResult> => {
      const { updatePlan: _, ...reviewed } = await project.run('preview', reviewedStack);
      const request: DeploymentRequest = {
        verb: 'up',
        dryRun: false,
        refresh: false,
        targets: [],
        stack,
        reviewed,
        policyPacks,
      };
      return withBinding(
        request,
        async () => false,
        { allowsUnbound: false },
        (binding) => project.run('up', stack, { policyPacks: binding.policyPacks ?? [] }),
      );
    };
    const messages = ({ diagnostics }: DeploymentResult) =>
      diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);

    test('lets a first up make all that was reviewed, and then nothing', async () => {
      const first = await upAfterReviewOf(environment().stack());
      expect([first.succeeded, messages(first)]).toEqual([true, []]);
      expect(changes(await upAfterReviewOf(environment().stack()))).toEqual([]);
    });

    test('refuses a policy that a role got after the review, before it is written', async () => {
      await project.run('up', environment().stack());
      const reviewed = environment().stack((config) => {
        provider(config, 'staff').roles.find(({ name }: any) => name === 'reader').ttl = '30m';
      });
      const shimmed = environment().stack((config) => {
        Object.assign(
          provider(config, 'staff').roles.find(({ name }: any) => name === 'reader'),
          {
            ttl: '30m',
            policies: ['secrets-read', 'login-admin'],
          },
        );
      });
      const result = await upAfterReviewOf(reviewed, shimmed);
      expect(result.succeeded).toBe(false);
      expect(messages(result).join()).toContain(
        'Other values than in the plan that was reviewed: tokenPolicies.',
      );
      const role = await environment().client.read('auth/staff/role/reader');
      expect(role?.data['token_policies']).toEqual(['secrets-read']);
      // As reviewed, it is made.
      expect(changes(await upAfterReviewOf(reviewed))).toEqual(['update staff-reader']);
    });

    test('refuses a role that came after the review', async () => {
      await project.run('up', environment().stack());
      const changed = environment().stack((config) => {
        provider(config, 'cluster').roles.push({ ...provider(config, 'cluster').roles[0], name: 'more' });
      });
      const result = await upAfterReviewOf(environment().stack(), changed);
      expect(messages(result).join()).toContain('It is not in the plan that was reviewed.');
      expect((await environment().live()).roles).not.toContain('cluster/more');
    });

    test('judges as it was asked to, too', async () => {
      await project.run('up', environment().stack());
      const config = join(temporaryFolder(), 'config.json');
      await writeFile(config, JSON.stringify({ 'cannot-be-judged': { before: '/nowhere/before.json' } }));
      const packs = [{ folder: `${root}packages/policy-pack`, config }];
      const result = await upAfterReviewOf(environment().stack(), environment().stack(), packs);
      expect(messages(result).join()).toContain('the file with the state before cannot be read');
    });
  });
});
