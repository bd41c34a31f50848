import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { changeByHand } from '../../../test/harness/dev-plans.ts';
import { type DevConfig, environmentFor, root } from '../../../test/harness/environment-under-test.ts';
import { describeWithPulumi } from '../../../test/harness/pulumi/pulumi.ts';
import { PulumiProject } from '../../../test/harness/pulumi/pulumi-project.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { describeOnOpenBao } from '../../../test/harness/two-servers.ts';
import { requireEnvironment } from '../../cli/src/open/open-environment.ts';
import { reviewDeployment } from '../../cli/src/review/review-stack.ts';
import { stepsOf } from '../../cli/src/statement/reviewed-change.ts';
import { hasFindingsAt } from '../../core/src/review/review.ts';
import { ruleOptions } from '../../core/src/review/rules/rule-options.ts';
import { digestsOfSteps } from '../../core/src/statement/steps-digests.ts';
import { keys, signed, statement } from '../../core/test/statement/reviewed.ts';
import type { DeploymentResult } from '../../engine/src/engine.ts';
import type { Stack } from '../../engine/src/stack.ts';

const now = BigInt(Date.now()) * 1_000_000n;
const provider = (config: DevConfig, name: string) =>
  config['providers'].find((one: { name: string }) => one.name === name);

/** Changes of the sample stack, and whether the review of them finds an error. */
const edits: [what: string, isError: boolean, change: (config: DevConfig) => void][] = [
  ['nothing', false, () => {}],
  [
    'a policy, a group and a role',
    false,
    (config) => {
      provider(config, 'cluster').roles[0].policies = ['secrets-admin'];
      provider(config, 'staff').groups = [];
      provider(config, 'staff').roles.pop();
    },
  ],
  [
    'the path of a cluster’s method',
    false,
    (config) => {
      provider(config, 'cluster').path = 'kubernetes';
    },
  ],
];

describeOnOpenBao('the pack in the real engine', (server) => {
  const environment = environmentFor(server);
  describeWithPulumi('with a backend in a folder', 'newest', (home) => {
    const folder = temporaryFolder();
    let project: PulumiProject;
    beforeAll(async () => {
      project = await PulumiProject.make(home(), environment());
    });

    const packs = async () => {
      const before = join(folder, 'before.json');
      const config = join(folder, 'config.json');
      const stack = await project.write(environment().stack());
      await writeFile(before, JSON.stringify(await project.exportState(stack)));
      await writeFile(config, JSON.stringify({ 'cannot-be-judged': { before } }));
      return [{ folder: `${root}packages/policy-pack`, config }];
    };

    /** A preview of a stack and its review, which have the same findings. */
    const reviewed = async (stack: Stack) => {
      const plan = await project.run('preview', stack, { policyPacks: await packs() });
      const options = { now, ...ruleOptions(requireEnvironment(stack, project.env)) };
      const review = await reviewDeployment(stack, plan, options, project.env);
      expect(findings(plan)).toEqual(review.findings.map(({ rule }) => rule).sort());
      return { plan, review };
    };

    test('of a first deployment has the findings of its review', async () => {
      const { plan, review } = await reviewed(environment().stack());
      expect(plan.succeeded).toBe(!hasFindingsAt(review, 'error'));
    });

    test.each(edits)('has the findings of the review of %s', async (_, isError, change) => {
      expect((await project.run('up', environment().stack())).succeeded).toBe(true);
      const { plan } = await reviewed(environment().stack(change));
      expect(plan.succeeded).toBe(!isError);
    });

    test('has the findings of the review of what a refresh found', async () => {
      await project.run('up', environment().stack());
      await changeByHand(environment());
      // The state before is what the pack is told.
      await project.run('refresh', environment().stack());
      await reviewed(environment().stack());
      await project.run('up', environment().stack());
    });

    test('lets an update through that it has nothing against, and sees what came of it', async () => {
      const policyPacks = await packs();
      const result = await project.run('up', environment().stack(), { policyPacks });
      expect([result.succeeded, findings(result)]).toEqual([true, []]);
    });

    test('refuses an update without a signed review of it, and lets the reviewed one through', async () => {
      await project.run('up', environment().stack());
      const longer = (ttl: string) =>
        environment().stack((config) => {
          provider(config, 'cluster').roles[0].ttl = ttl;
        });
      const steps = stepsOf(await project.run('preview', longer('7m')));
      const { digest, declared } = digestsOfSteps(steps);
      const predicate = {
        declared: { sha256: declared },
        state: undefined,
        timeCreated: new Date().toISOString(),
      };
      const files = {
        reviewed: join(folder, 'reviewed.json'),
        statement: join(folder, 'review.sigstore.json'),
        config: join(folder, 'signed.json'),
      };
      await writeFile(files.reviewed, JSON.stringify(steps));
      await writeFile(files.statement, await signed(statement(predicate, digest)));
      const reviews = { signers: [{ name: 'alice', key: keys.alice.publicPem, until: '2999-12-31' }] };
      const upWith = async (stack: Stack, statements: string[]) => {
        const held = { reviewed: files.reviewed, statements, reviews };
        await writeFile(files.config, JSON.stringify({ 'step-unplanned': held }));
        const policyPacks = [{ folder: `${root}packages/policy-pack`, config: files.config }];
        const { succeeded, diagnostics } = await project.run('up', stack, { policyPacks });
        return { succeeded, text: diagnostics.map(({ message }) => message).join('\n') };
      };
      expect(await upWith(longer('7m'), [])).toEqual({
        succeeded: false,
        text: expect.stringContaining('This change has no signed review that counts'),
      });
      expect(await upWith(longer('8m'), [files.statement])).toEqual({
        succeeded: false,
        text: expect.stringContaining('Other values than in the plan that was reviewed'),
      });
      expect(await upWith(longer('7m'), [files.statement])).toMatchObject({ succeeded: true });
    });
  });
});

/** The rules of what was found. That client secrets are encrypted in the state is said each time. */
function findings({ diagnostics }: DeploymentResult): string[] {
  const found = diagnostics.flatMap(({ message }) => {
    const rule = /^policy ([\w-]+): /.exec(message)?.[1];
    const isShownElsewhere =
      rule === 'who-gains-who-loses' || /Not checked: whether client secrets change\./.test(message);
    return rule === undefined || isShownElsewhere ? [] : [rule];
  });
  return found.sort();
}
