import { expect, test } from '@jest/globals';
import { started } from '../../../../test/harness/started.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { type ServedStack, startServedStack } from './served-stack.ts';

const stages = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'];

// The platform of `gatehouse serve` deploys the dev stack, and asks the integrator of the same server at every stage.
describeOnBothDatabases('a deployment that the review gates', (databases) => {
  const under = started(async () => startServedStack(await databases.place()), 60_000);

  const gate = (enforcement: string) => under().gate([{ name: 'gate', stages, enforcement }]);
  /** What employees get. */
  const policies = async () =>
    (await under().environment.client.read('auth/staff/role/reader'))?.data['token_policies'];
  const stageAndStatus = ({ tasks }: Awaited<ReturnType<ServedStack['deploy']>>) =>
    tasks.map(({ stage, status }) => [stage, status]);

  // One after the other: each is a change of what the one before has left.
  test('is applied where every stage passes, and the service then is as declared', async () => {
    await gate('mandatory');
    const run = await under().deploy();
    expect(stageAndStatus(run)).toEqual(stages.map((stage) => [stage, 'passed']));
    expect([run.status, run.hasApplied]).toEqual(['applied', true]);
    expect(await policies()).toEqual(['secrets-read']);
  }, 120_000);

  test('is stopped at post_plan where it gives everyone a policy; the finding and the access change are outcomes', async () => {
    const before = await policies();
    await gate('mandatory');
    // Every employee signs in to it.
    await under().change((config) =>
      config['gatehouse:providers'][0].roles[0].policies.push('secrets-admin'),
    );
    const run = await under().deploy();
    expect([run.status, run.hasApplied, run.reason]).toEqual([
      'stopped',
      false,
      'Blocked at post_plan by gate (failed).',
    ]);
    const outcomes = run.tasks[1]?.outcomes ?? [];
    expect(outcomes.slice(0, 3).map(({ description, outcomeId }) => [outcomeId, description])).toEqual([
      [
        'finding-1-everyone-gains',
        expect.stringMatching(
          /^policies of role staff\/reader: Role reader has no bounds: everyone with an account at [\w.-]+ could write "secret\/\*"\.$/,
        ),
      ],
      ['access-1', 'role staff/reader: – → create, delete, list, patch, read, update secret/*'],
      [
        'finding-2-policy-widened',
        'policies of role staff/reader: Everyone who signs in with it also gets "secrets-admin".',
      ],
    ]);
    // The folder is no repository: rules that the stack turns off have no base revision.
    expect(outcomes.slice(3).map(({ outcomeId }) => outcomeId)).toEqual([
      'finding-3-gate-weakened',
      'finding-4-gate-weakened',
    ]);
    expect(outcomes[1]?.body).toContain('- gains: secrets-admin');
    expect(
      outcomes.slice(0, 3).map(({ tags = {} }) => [tags['Severity']?.[0]?.label, tags['Status']?.[0]?.label]),
    ).toEqual([
      ['error', 'failed'],
      ['warning', 'passed'],
      ['warning', 'passed'],
    ]);
    // The page of the delivery, at the address of the server.
    const page = run.tasks[1]?.url ?? '';
    expect(page.startsWith(`${under().address}/ui/deliveries/`)).toBe(true);
    expect((await fetch(page, { redirect: 'manual' })).status).not.toBe(404);
    expect([before, await policies()]).toEqual([['secrets-read'], ['secrets-read']]);
  }, 120_000);

  test('is stopped at pre_apply by a mandatory review, where the one at post_plan failed but is advisory', async () => {
    await under().gate([
      { name: 'advice', stages: ['post_plan'], enforcement: 'advisory' },
      { name: 'gate', stages: ['pre_apply'], enforcement: 'mandatory' },
    ]);
    const run = await under().deploy();
    expect(stageAndStatus(run)).toEqual([
      ['post_plan', 'failed'],
      ['pre_apply', 'failed'],
    ]);
    expect([run.status, run.hasApplied]).toEqual(['stopped', false]);
    expect(run.tasks[1]?.outcomes).toEqual(run.tasks[0]?.outcomes);
    expect(await policies()).toEqual(['secrets-read']);
  }, 120_000);

  test('goes on where the run task that objects is advisory, and shows what it said', async () => {
    await gate('advisory');
    const run = await under().deploy();
    expect([run.status, run.hasApplied]).toEqual(['applied', true]);
    expect(stageAndStatus(run)).toContainEqual(['post_plan', 'failed']);
    expect(await policies()).toEqual(['secrets-read', 'secrets-admin']);
  }, 120_000);
});
