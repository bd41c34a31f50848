import { beforeAll, describe, expect, test } from '@jest/globals';
import { changeByHand } from '../../../../test/harness/dev-plans.ts';
import { environmentFor } from '../../../../test/harness/environment-under-test.ts';
import { describeWithPulumi } from '../../../../test/harness/pulumi/pulumi.ts';
import { PulumiProject } from '../../../../test/harness/pulumi/pulumi-project.ts';
import { describeOnEmbeddedService } from '../../../../test/harness/two-servers.ts';
import { composeChanges } from '../../../core/src/review/plan/compose-change.ts';
import { readPulumiPreview } from '../../../core/src/review/plan/read-pulumi-preview.ts';
import type { DeploymentResult, Step } from '../../../engine/src/engine.ts';
import { plannedPreview } from '../../../engine/src/planned-steps.ts';
import { main } from '../../src/main.ts';
import { openEngine } from '../../src/open/engines.ts';
import { reviewDeployment } from '../../src/review/review-stack.ts';
import { FakeTerminal } from '../fake-terminal.ts';

const now = 1_800_000_000_000_000_000n;
const aliases = [
  { method: 'community', name: 'admins', group: 'maintainers' },
  { method: 'staff', name: '00000000-0000-0000-c000-000000000046', group: 'staff-admins' },
];

const byMethod = (a: { method: string }, b: { method: string }) => (a.method < b.method ? -1 : 1);

describeOnEmbeddedService('the review of a plan of the real engine', (server) => {
  const environment = environmentFor(server);
  describeWithPulumi('with a backend in a folder', 'newest', (home) => {
    let project: PulumiProject;
    const stack = () => environment().stack();
    const changeIn = (plan: DeploymentResult) =>
      composeChanges(readPulumiPreview(plannedPreview(plan)))[0]?.change;
    const review = (plan: DeploymentResult) => reviewDeployment(stack(), plan, { now }, {});
    beforeAll(async () => {
      project = await PulumiProject.make(home(), environment());
    });

    describe('of a first up', () => {
      let plan: DeploymentResult;
      /** As a preview shows it, which leaves out what unknown values are taken from. */
      let shown: DeploymentResult;
      beforeAll(async () => {
        plan = await project.run('preview', stack());
        const left = { dependencies: [], propertyDependencies: {} };
        const steps = plan.steps.map(
          (step): Step => ({ ...step, ...(step.newState && { newState: { ...step.newState, ...left } }) }),
        );
        shown = { ...plan, steps };
      });

      test('it is judged by what the stack declares, where the preview does not tell', async () => {
        const { findings, access } = await review(shown);
        expect(findings.filter(({ rule }) => rule === 'cannot-be-judged')).toEqual([]);
        const found = access.filter(({ principals }) => principals.kind === 'alias');
        expect(found.map(({ principals }) => principals)).toEqual(
          aliases.map((alias) => ({ kind: 'alias', ...alias })),
        );
      });

      test('it is judged by the plan that the CLI saved, without the stack', () => {
        expect(changeIn(plan)?.unknown).toEqual([]);
        expect(changeIn(plan)?.after.aliases.toSorted(byMethod)).toEqual(aliases);
      });

      test('it cannot be judged without either', () => {
        expect(changeIn(shown)?.unknown.map(({ type }) => type)).toEqual(['alias', 'alias']);
      });

      test('it goes through gatehouse up', async () => {
        await project.write(stack());
        const terminal = new FakeTerminal(project.directory);
        terminal.env = { ...project.env, NO_COLOR: '1' };
        const argv = ['up', '-s', 'dev', '--engine', 'pulumi', '--plugin', 'embedded', '--yes', '--json'];
        const code = await main(argv, { terminal, openEngine });
        const { result, review } = JSON.parse(terminal.stdout.text);
        expect({ code, result }).toEqual({ code: 0, result: 'succeeded' });
        expect(review.findings.filter(({ rule }: any) => rule === 'cannot-be-judged')).toEqual([]);
      });
    });

    describe('of a refresh is of what it found', () => {
      beforeAll(async () => {
        await changeByHand(environment());
      });

      test('a role that was deleted by hand is made anew, one that was changed goes back', async () => {
        const plan = await project.run('preview', stack(), { refresh: true });
        const change = changeIn(plan);
        const names = (roles: { method: string; name: string }[] = []) =>
          roles
            .filter(({ method }) => method === 'cluster')
            .map(({ name }) => name)
            .sort();
        expect([names(change?.before.roles), names(change?.after.roles)]).toEqual([
          ['web'],
          ['backup', 'web'],
        ]);
        const [before, after] = [change?.before, change?.after].map((graph) =>
          graph?.roles.find(({ name }) => name === 'web'),
        );
        expect(before?.policies).not.toEqual(after?.policies);
        const { access, notes } = await review(plan);
        expect(access.map(({ kind, principals }) => [kind, principals.name])).toContainEqual([
          'opened',
          'backup',
        ]);
        expect(notes).toEqual(expect.arrayContaining([expect.stringContaining('outside of Pulumi')]));
      });

      test('a refresh alone changes nothing on the service', async () => {
        const plan = await project.run('refresh', stack());
        const gone = plan.steps.filter(({ refreshed, newState }) => refreshed && newState === undefined);
        expect(gone.map(({ urn }) => urn.split('::').at(-1))).toEqual(['cluster-backup']);
        const change = changeIn(plan);
        expect(change?.before).toEqual(change?.after);
        expect((await review(plan)).access).toEqual([]);
      });
    });
  });
});
