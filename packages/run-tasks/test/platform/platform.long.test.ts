import { expect, test } from '@jest/globals';
import { callBack } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

describePlatform('the figures of the platform', (under) => {
  const figures = async () =>
    Object.fromEntries(
      [...(await under.metrics.text()).matchAll(/^(gatehouse_\S+) (\d+)$/gm)].map(([, name, value]) => [
        name,
        Number(value),
      ]),
    );

  test('say what is open, what ended and how, and how requests were answered', async () => {
    const answers = [503, undefined];
    under.integrator.answer = () => (answers.length === 0 ? 200 : answers.shift());
    under.work.tasks = [under.task('review', ['post_plan'])];
    const first = await under.run();
    const second = await under.run();
    const request = await under.requested(first, 'post_plan');
    await under.runWhen(first.id, ({ tasks }) => tasks[0]?.acceptedAt !== undefined);
    expect(await figures()).toEqual({
      'gatehouse_runs_open{status="post_plan"}': 1,
      'gatehouse_runs_open{status="pending"}': 1,
      'gatehouse_task_requests_total{answer="503"}': 1,
      'gatehouse_task_requests_total{answer="none"}': 1,
      'gatehouse_task_requests_total{answer="200"}': 1,
    });

    await callBack(request, 'passed');
    await under.ended(first.id);
    await callBack(await under.requested(second, 'post_plan'), 'failed');
    await under.ended(second.id);
    const third = await under.run();
    const held = await under.requested(third, 'post_plan');
    await under.runWhen(third.id, ({ tasks }) => tasks[0]?.acceptedAt !== undefined);
    // Its open task ends with it.
    await under.cancel(third.id, 'bob');
    expect((await callBack(held, 'passed')).status).toBe(422);
    expect(await figures()).toEqual({
      'gatehouse_task_requests_total{answer="503"}': 1,
      'gatehouse_task_requests_total{answer="none"}': 1,
      'gatehouse_task_requests_total{answer="200"}': 3,
      'gatehouse_runs_ended_total{status="applied"}': 1,
      'gatehouse_runs_ended_total{status="stopped"}': 1,
      'gatehouse_runs_ended_total{status="canceled"}': 1,
      'gatehouse_task_results_ended_total{status="passed"}': 1,
      'gatehouse_task_results_ended_total{status="failed"}': 1,
      'gatehouse_task_results_ended_total{status="errored"}': 1,
    });
  });

  test('do not count what was rolled back', async () => {
    const before = await figures();
    under.work.tasks = [under.task('review', ['post_plan'])];
    const run = await under.run(`${under.stack}-other`);
    const request = await under.requested(run, 'post_plan');
    await under.runWhen(run.id, ({ tasks }) => tasks[0]?.acceptedAt !== undefined);
    const { database } = under;
    const { transaction } = database;
    database.transaction = (work) =>
      transaction.call(database, async (sql) => {
        await work(sql);
        throw new Error('the connection is lost');
      }) as ReturnType<typeof transaction<never>>;
    expect((await callBack(request, 'passed')).status).toBe(500);
    database.transaction = transaction;
    const { 'gatehouse_runs_open{status="post_plan"}': openRuns, ...after } = await figures();
    expect(openRuns).toBe(1);
    expect(after['gatehouse_task_results_ended_total{status="passed"}']).toBe(
      before['gatehouse_task_results_ended_total{status="passed"}'],
    );
  });
});
