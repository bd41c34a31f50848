import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { PlanReviewer } from '../../packages/cli/src/serve/plan-reviewer.ts';
import { runTaskReview } from '../../packages/cli/src/serve/review-run-task.ts';
import { sign } from '../../packages/core/src/run-task/signature.ts';
import {
  key,
  type RunningIntegrator,
  runIntegrator,
} from '../../packages/run-tasks/test/integrator/running-integrator.ts';
import { root } from '../harness/environment-under-test.ts';
import { longTest } from '../harness/long-run.ts';
import { sendTask, type TestTask } from '../harness/test-platform.ts';
import { describeOnBothDatabases } from '../harness/two-databases.ts';
import { until } from '../harness/until.ts';

const sample = JSON.parse(readFileSync(join(root, 'examples/plans/terraform-plan.json'), 'utf8'));
const harmless = { ...sample, resource_changes: [], applyable: false };
/** What no finding would stop: only the comparison can. */
const edited = { ...harmless, terraform_version: '1.9.9' };
const signatureOf = (body: string) => sign(Buffer.from(body), key);
type Stage = 'post_plan' | 'pre_apply';

describeOnBothDatabases('an attacker who wants a plan applied that no one reviewed', (databases) => {
  let running: RunningIntegrator;
  const reviewer = new PlanReviewer();
  afterAll(() => reviewer.close());
  const start = async () => {
    running = await runIntegrator(await databases.openDatabase(), {
      review: runTaskReview(root, {}, reviewer),
      endpoints: [
        { name: 'review', keys: [key] },
        { name: 'second', keys: ['its own key'] },
      ],
    });
  };
  beforeEach(start);
  afterEach(async () => {
    await running.close();
    await running.database.close();
  });

  const newTask = (stage: Stage, plan: unknown, run = 'run-1') =>
    running.platform.newTask({ stage, plan, change: { run_id: run } });
  const post = (task: TestTask, { endpoint = 'review', signedWith = key } = {}) =>
    sendTask(running.url.replace(/review$/, endpoint), task.payload, { key: signedWith });
  /** The status and the outcomes that fail it, of a task that an endpoint takes. */
  const verdict = async (
    stage: Stage,
    plan: unknown,
    { run, ...at }: Parameters<typeof post>[1] & { run?: string } = {},
  ) => {
    const task = newTask(stage, plan, run);
    expect((await post(task, at)).status).toBe(200);
    await until(() => task.finals.length > 0);
    const shown = task.callbacks.flatMap(({ result }) => result?.outcomes.map(({ outcomeId }) => outcomeId));
    return [task.finals[0]?.status, ...shown.filter((id) => /not-compared|other-plan/.test(id ?? ''))];
  };

  longTest('gets the plan passed that was reviewed: the gate opens for what it should', async () => {
    expect(await verdict('post_plan', harmless)).toEqual(['passed']);
    expect(await verdict('pre_apply', harmless)).toEqual(['passed']);
  });

  longTest('edits the plan between post_plan and pre_apply', async () => {
    await verdict('post_plan', harmless);
    expect(await verdict('pre_apply', edited)).toEqual(['failed', 'other-plan']);
  });

  test('leaves post_plan out', async () => {
    expect(await verdict('pre_apply', harmless)).toEqual(['failed', 'not-compared']);
  });

  longTest('has the store lost between the two', async () => {
    await verdict('post_plan', harmless);
    await running.close();
    await start();
    expect(await verdict('pre_apply', edited)).toEqual(['failed', 'not-compared']);
  });

  test('sends pre_apply to a second endpoint', async () => {
    await verdict('post_plan', harmless);
    const second = { endpoint: 'second', signedWith: 'its own key' };
    expect(await verdict('pre_apply', edited, second)).toEqual(['failed', 'not-compared']);
  });

  test('signs for one endpoint with the key of another', async () => {
    const task = newTask('pre_apply', harmless);
    expect((await post(task, { signedWith: 'its own key' })).status).toBe(401);
    expect((await post(task, { endpoint: 'second' })).status).toBe(401);
  });

  test('has the edited plan reviewed in another run', async () => {
    await verdict('post_plan', harmless);
    await verdict('post_plan', edited, { run: 'run-2' });
    expect(await verdict('pre_apply', edited)).toEqual(['failed', 'other-plan']);
  });

  longTest('has a review that could not be done stand for one that passed', async () => {
    expect(await verdict('post_plan', '{"format')).toEqual(['failed']);
    expect(await verdict('pre_apply', '{"format')).toEqual(['failed']);
    expect(await verdict('pre_apply', harmless)).toEqual(['failed', 'not-compared']);
  });

  longTest('has a plan that passed stand for one asked about again, which could not be read', async () => {
    await verdict('post_plan', harmless);
    await verdict('post_plan', '{"format');
    expect(await verdict('pre_apply', '{"format')).toEqual(['failed']);
  });

  longTest('repeats the delivery of post_plan once the platform has another plan', async () => {
    const first = newTask('post_plan', harmless);
    await post(first);
    await until(() => first.finals.length > 0);
    first.behavior.plan = edited;
    const asked = first.planRequests.length;
    expect((await post(first)).status).toBe(200);
    expect(await verdict('pre_apply', edited)).toEqual(['failed', 'other-plan']);
    expect([first.planRequests.length, first.finals.length]).toEqual([asked, 1]);
  });

  test('repeats a delivery of pre_apply that passed, at other stages and of other runs', async () => {
    await verdict('post_plan', harmless);
    const passed = newTask('pre_apply', harmless);
    await post(passed);
    await until(() => passed.finals.length > 0);
    expect((await post(passed)).status).toBe(200);
    // Its signature covers the run and the stage.
    const body = JSON.stringify(passed.payload);
    const [run, stage] = [body.replace('run-1', 'run-2'), body.replace('pre_apply', 'post_plan')];
    for (const forged of [run, stage]) {
      const answer = await fetch(running.url, {
        method: 'POST',
        body: forged,
        headers: { 'x-platform-task-signature': signatureOf(body) },
      });
      expect(answer.status).toBe(401);
    }
    expect(passed.finals).toHaveLength(1);
  });
});
