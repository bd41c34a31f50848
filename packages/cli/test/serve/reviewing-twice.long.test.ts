import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { sendTask } from '../../../../test/harness/test-platform.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import {
  key,
  type RunningIntegrator,
  runIntegrator,
  untilEnded,
} from '../../../run-tasks/test/integrator/running-integrator.ts';
import { PlanReviewer } from '../../src/serve/plan-reviewer.ts';
import { runTaskReview } from '../../src/serve/review-run-task.ts';

const plan = JSON.parse(readFileSync(join(root, 'examples/plans/terraform-plan.json'), 'utf8'));
const harmless = { ...plan, resource_changes: [] };

describeOnBothDatabases('post_plan, then pre_apply, from a platform of somebody else’s', (databases) => {
  let running: RunningIntegrator;
  const reviewer = new PlanReviewer();
  beforeAll(async () => {
    running = await runIntegrator(await databases.openDatabase(), {
      review: runTaskReview(root, {}, reviewer),
    });
  });
  afterAll(async () => {
    await running.close();
    await reviewer.close();
  });
  const ask = async (stage: 'post_plan' | 'pre_apply', run: string, given: unknown) => {
    const task = running.platform.newTask({ stage, plan: given, change: { run_id: run } });
    expect((await sendTask(running.url, task.payload, { key })).status).toBe(200);
    await untilEnded(running, task.id);
    return task;
  };
  const ends = async (run: string, atPostPlan: unknown, atPreApply: unknown) => {
    const tasks = [await ask('post_plan', run, atPostPlan), await ask('pre_apply', run, atPreApply)];
    return tasks.map(({ finals }) => finals.map(({ status }) => status).join());
  };

  test('a plan that failed fails again, with the same outcomes', async () => {
    const before = await ask('post_plan', 'run-failed', plan);
    const now = await ask('pre_apply', 'run-failed', plan);
    expect(now.finals).toEqual(before.finals);
    expect(now.finals[0]?.status).toBe('failed');
  });

  test('a plan that passed passes again', async () => {
    expect(await ends('run-passed', harmless, harmless)).toEqual(['passed', 'passed']);
  });

  test('another plan than the one that passed fails', async () => {
    expect(await ends('run-changed', harmless, { ...harmless, complete: false })).toEqual([
      'passed',
      'failed',
    ]);
  });

  test('a plan that could not be read at post_plan fails', async () => {
    expect(await ends('run-read-late', '{"format', harmless)).toEqual(['failed', 'failed']);
  });

  test('a plan that passed at post_plan fails where it was asked about again, and could not be read', async () => {
    await ask('post_plan', 'run-again', harmless);
    expect(await ends('run-again', '{"format', harmless)).toEqual(['failed', 'failed']);
  });
});
