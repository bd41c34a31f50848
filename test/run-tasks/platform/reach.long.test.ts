import { beforeEach, describe, expect, test } from '@jest/globals';
import { describeOnBothDatabases } from '../../harness/two-databases.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import { callBack } from './scripted-integrator.ts';
import { startPlatform } from './started-platform.ts';

const minute = 60_000;
const timing = { finalStatusMs: 10 * minute, retryForMs: 10 * minute, retryPauseMs: 1000 };

describeOnBothDatabases('how long a platform tries and waits', (databases) => {
  const started = startPlatform(databases);
  let under: PlatformUnderTest;
  let stack: string;
  beforeEach(() => {
    under = started();
    stack = under.reset();
    under.work.tasks = [under.task('review', ['post_plan'])];
  });
  const taskOf = async (id: string) => (await under.platform.readRun(id)).tasks[0];
  const tried = (id: string) => under.runWhen(id, ({ tasks }) => (tasks[0]?.attempts ?? 0) > 0);

  test('the ten minutes begin when the request is accepted', async () => {
    const answers = [503];
    under.integrator.answer = () => answers.shift() ?? 200;
    const run = await under.run(stack);
    await tried(run.id);
    under.now += 9 * minute;
    await under.runWhen(run.id, ({ tasks }) => tasks[0]?.acceptedAt !== undefined);
    under.now += 10 * minute - 1;
    await under.platform.sweep();
    expect((await taskOf(run.id))?.status).toBe('pending');
    expect((await callBack(await under.requested(run, 'post_plan'), 'passed')).status).toBe(200);
    expect((await under.ended(run.id)).status).toBe('applied');
  });

  test('who never answers 200 ends as unreachable, with the last answer as the reason', async () => {
    under.integrator.answer = () => 202;
    const run = await under.run(stack);
    await tried(run.id);
    under.now += 10 * minute;
    await under.platform.sweep();
    expect(await under.ended(run.id)).toMatchObject({
      status: 'stopped',
      reason: 'At post_plan a mandatory run task did not pass: review (unreachable).',
      tasks: [
        { status: 'unreachable', message: 'No request was accepted: answered with 202 instead of 200.' },
      ],
    });
  });

  test('each task has its own times', async () => {
    under.work.tasks = [
      { ...under.task('quick', ['post_plan'], 'advisory'), timing: { ...timing, finalStatusMs: minute } },
      under.task('review', ['post_plan']),
    ];
    const run = await under.run(stack);
    for (const name of ['quick', 'review']) await under.requested(run, 'post_plan', name);
    under.now += minute;
    await under.platform.sweep();
    const { tasks } = await under.platform.readRun(run.id);
    expect(tasks.map(({ name, status }) => [name, status])).toEqual([
      ['quick', 'errored'],
      ['review', 'pending'],
    ]);
    await under.cancel(run.id, 'bob');
  });

  test('a total time lets each running update restart the clock', async () => {
    under.work.tasks = [
      { ...under.task('review', ['post_plan']), timing: { ...timing, totalMs: 15 * minute } },
    ];
    const run = await under.run(stack);
    const request = await under.requested(run, 'post_plan');
    under.now += 9 * minute;
    await callBack(request, 'running');
    under.now += 5 * minute;
    await under.platform.sweep();
    expect((await taskOf(run.id))?.status).toBe('running');
    under.now += minute;
    await under.platform.sweep();
    expect((await taskOf(run.id))?.status).toBe('errored');
  });

  test('the pause before the second request is the task’s', async () => {
    under.integrator.answer = () => 503;
    under.work.tasks = [
      { ...under.task('review', ['post_plan']), timing: { ...timing, retryPauseMs: 30_000 } },
    ];
    const run = await under.run(stack);
    await tried(run.id);
    const [job] = await under.database.query(
      "SELECT retry_delay FROM pgboss.job WHERE name = 'platform-send' AND data->>'task' = $1",
      [(await taskOf(run.id))?.id],
    );
    expect(job?.['retry_delay']).toBe(30);
    await under.cancel(run.id, 'bob');
  });
});

describeOnBothDatabases('a platform that verifies run tasks', (databases) => {
  const started = startPlatform(databases);
  let under: PlatformUnderTest;
  let stack: string;
  beforeEach(() => {
    under = started();
    stack = under.reset();
    under.work.tasks = [under.task('review', ['post_plan'])];
  });
  const passed = async () => {
    const run = await under.run(stack);
    await callBack(await under.requested(run, 'post_plan'), 'passed');
    return await under.ended(run.id);
  };

  test('sends one request before the first run, with a token that starts no work', async () => {
    expect(await passed()).toMatchObject({
      status: 'applied',
      verifications: [{ name: 'review', verifiedAt: under.now }],
    });
    expect(under.integrator.verifications.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({
        access_token: 'test-token',
        stage: 'post_plan',
        payload_version: 1,
        task_result_enforcement_level: 'mandatory',
        plan_json_api_url: expect.stringMatching(/^http/),
      }),
    ]);
    await passed();
    expect(under.integrator.verifications).toHaveLength(1);
  });

  test('asks again where the key or the address is new', async () => {
    await passed();
    under.work.key = 'a key';
    await passed();
    const [task] = under.work.tasks;
    under.work.tasks = [
      { ...(task ?? under.task('review', [])), url: `${under.integrator.address}/review?2` },
    ];
    const run = await under.run(stack);
    await callBack(await under.requested(run, 'post_plan'), 'passed');
    await under.ended(run.id);
    expect(under.integrator.verifications.map(({ path }) => path)).toEqual([
      '/review',
      '/review',
      '/review?2',
    ]);
  });

  test('refuses a run whose mandatory task never answered with 200, and says why', async () => {
    under.integrator.verify = () => 422;
    const run = await under.ended((await under.run(stack)).id);
    expect(run).toMatchObject({
      status: 'stopped',
      reason:
        'A mandatory run task did not answer the verification request of its address and key with 200. review: answered with 422 instead of 200.',
      verifications: [{ name: 'review', trouble: 'answered with 422 instead of 200' }],
      tasks: [],
    });
    expect([under.work.done, under.integrator.received]).toEqual([[], []]);
  });

  test('verifies once more at the next run', async () => {
    under.integrator.verify = () => 503;
    await under.ended((await under.run(stack)).id);
    under.integrator.verify = () => 200;
    expect((await passed()).status).toBe('applied');
  });

  test('lets a run begin whose advisory task did not answer, and shows it', async () => {
    under.work.tasks = [under.task('review', ['post_plan'], 'advisory')];
    under.integrator.verify = () => 500;
    const run = await passed();
    expect(run).toMatchObject({ status: 'applied', verifications: [{ name: 'review' }] });
    expect(run.verifications[0]?.verifiedAt).toBeUndefined();
  });

  test('lets a run begin whose task was verified before and is away now', async () => {
    await passed();
    under.integrator.verify = () => 503;
    expect((await passed()).status).toBe('applied');
  });

  describe('of a refused address', () => {
    test('does not begin, and calls nobody', async () => {
      under.work.tasks = [{ ...under.task('review', ['pre_plan']), url: 'http://169.254.169.254/latest' }];
      const run = await under.ended((await under.run(stack)).id);
      expect([run.status, run.reason]).toEqual([
        'stopped',
        expect.stringContaining('not one of the allowed origins'),
      ]);
    });
  });
});
