import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Database } from '../../../run-tasks/store/database.ts';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';
import { until } from '../../harness/until.ts';
import { deliveryRow, type RunningIntegrator, runIntegrator } from '../integrator/running-integrator.ts';
import {
  madeAt,
  restoreWaiting,
  reviewingTask,
  waiting,
  waitingDeliveries,
} from '../store/store-with-waiting-runs.ts';
import { PlatformUnderTest } from './platform-under-test.ts';
import { callBack, sendCallback } from './scripted-integrator.ts';

const by = { name: 'bob', policies: ['root'] };

describeOnBothDatabases('a platform on the store of an earlier version, with runs that wait', (databases) => {
  let under: PlatformUnderTest;
  beforeEach(async () => {
    const database = await databases.open();
    under = new PlatformUnderTest();
    under.now = madeAt;
    await under.start(database, { before: (integrator) => restoreWaiting(database, { integrator }) });
    under.work.decisions = { confirm: 'always' };
  });
  afterEach(async () => {
    await under.close();
    await under.database.close();
  });
  const statusOf = async (id: string) => (await under.platform.readRun(id)).status;

  test('has every run where it was', async () => {
    expect(
      await Promise.all([waiting.confirming, waiting.accepting, waiting.reviewing].map(statusOf)),
    ).toEqual(['waiting_for_confirmation', 'waiting_for_acceptance', 'post_plan']);
    expect((await under.platform.readRun(waiting.reviewing)).tasks[0]).toMatchObject({
      status: 'running',
      outcomes: [{ outcomeId: 'first' }],
    });
  });

  test('applies the plan that is confirmed, and then the run behind it gets its turn', async () => {
    await under.platform.decide(waiting.confirming, { verb: 'confirm', by });
    expect((await under.ended(waiting.confirming)).status).toBe('applied');
    expect(under.work.done).toContain('apply confirming {"steps":["a change"]}');
    const next = await under.runWhen(waiting.behind, ({ status }) => status === 'waiting_for_confirmation');
    expect(next.status).toBe('waiting_for_confirmation');
  });

  test('plans the run that only plans, which waited behind another', async () => {
    expect((await under.ended(waiting.speculative)).status).toBe('planned_and_finished');
    expect(await statusOf(waiting.confirming)).toBe('waiting_for_confirmation');
  });

  test('applies the plan whose failed task is accepted', async () => {
    const choice = { verb: 'accept', by, task: 'review', reason: 'known' } as const;
    await under.platform.decide(waiting.accepting, choice);
    await under.runWhen(waiting.accepting, ({ status }) => status === 'waiting_for_confirmation');
    await under.platform.decide(waiting.accepting, { verb: 'confirm', by });
    expect((await under.ended(waiting.accepting)).status).toBe('applied');
  });

  test('takes the callback of a request that was sent before, with its token alone', async () => {
    const url = `${under.address}/api/v2/task-results/${reviewingTask.id}/callback`;
    expect((await sendCallback(url, 'another token', {})).status).toBe(401);
    const request = { task_result_callback_url: url, access_token: reviewingTask.token };
    expect((await callBack(request, 'failed')).status).toBe(200);
    const after = await under.runWhen(waiting.reviewing, ({ status }) => status === 'waiting_for_acceptance');
    expect(after.status).toBe('waiting_for_acceptance');
  });

  test('sends the request again that was not accepted', async () => {
    await callBack(await under.requested({ id: waiting.sending }, 'post_plan'), 'passed');
    const after = await under.runWhen(waiting.sending, ({ status }) => status === 'waiting_for_confirmation');
    expect(after.status).toBe('waiting_for_confirmation');
  });
});

describeOnBothDatabases('an integrator on the store of an earlier version', (databases) => {
  let database: Database;
  let running: RunningIntegrator | undefined;
  beforeEach(async () => {
    database = await databases.open();
    await restoreWaiting(database);
  });
  afterEach(() => running?.close());

  test('reviews and sends what was not at its end', async () => {
    running = await runIntegrator(database, { now: () => madeAt }, (platform) =>
      database.query(
        "UPDATE deliveries SET payload = replace(payload::text, 'http://platform.invalid', $1)::json",
        [platform],
      ),
    );
    const here = running;
    const answered = async () => {
      const rows = await database.query(
        `SELECT DISTINCT task_result_id AS id FROM callbacks JOIN deliveries ON deliveries.id = delivery
          WHERE http_status IS NOT NULL AND ended_at IS NULL ORDER BY id`,
      );
      return rows.map(({ id }) => id);
    };
    // The test's platform does not know their tokens: that both arrive is seen by its refusals.
    await until(async () => (await answered()).length === 2);
    expect(await answered()).toEqual(Object.values(waitingDeliveries).sort());
    expect((await deliveryRow(here, waitingDeliveries.working))?.['status']).toBe('reviewed');
  });
});
