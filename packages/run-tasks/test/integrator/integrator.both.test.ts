import { expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { sendTask } from '../../../../test/harness/test-platform.ts';
import { describeOnBothDatabases } from '../../../../test/harness/two-databases.ts';
import { until } from '../../../../test/harness/until.ts';
import { Stage } from '../../../core/src/graph/values/stage.ts';
import { planDigest } from '../../../core/src/run-task/plan-digest.ts';
import { Metrics } from '../../../host/src/metrics.ts';
import type { ReviewRequest, RunReviewer } from '../../src/integrator/review.ts';
import { deliveryRow, fine, integratorPerTest, key, outcomes, untilEnded } from './running-integrator.ts';

describeOnBothDatabases('the integrator', (databases) => {
  const { database, start, send, ended } = integratorPerTest(databases);

  test.each(Object.values(Stage))(
    'answers 200 without content and brings one final result (%s)',
    async (stage) => {
      const seen: ReviewRequest[] = [];
      const here = await start({
        review: async (request) => {
          seen.push(request);
          return { status: 'failed', message: 'no', url: 'https://example.com/x', outcomes: outcomes(1) };
        },
      });
      const task = here.platform.newTask({ stage, plan: { some: 'plan' } });
      expect(await send(here, task)).toMatchObject({ status: 200, body: '' });
      await untilEnded(here, task.id);
      expect(task.finals).toEqual([
        { status: 'failed', message: 'no', url: 'https://example.com/x', outcomes: outcomes(1) },
      ]);
      expect(task.planRequests).toEqual(stage === 'pre_plan' ? [] : [true]);
      expect(seen.map(({ plan }) => plan && JSON.parse(Buffer.from(plan).toString()))).toEqual([
        stage === 'pre_plan' ? undefined : { some: 'plan' },
      ]);
    },
  );

  test.each([
    ['a callback address that may not be called', { task_result_callback_url: 'http://169.254.169.254/x' }],
    ['a token that is no header value', { access_token: 'secret-a\r\nsecret-b' }],
  ])('refuses %s with 422, and does not say the token', async (_, change) => {
    const here = await start();
    const { payload, token } = here.platform.newTask({ stage: 'pre_plan', change });
    const { status, body } = await sendTask(here.url, payload, { key });
    expect(status).toBe(422);
    expect(body).not.toMatch(new RegExp(`${token}|secret-`));
  });

  test('takes text that jsonb does not', async () => {
    const review: RunReviewer = async () => ({ status: 'passed', message: 'a\u0000b \ud800', outcomes: [] });
    const change = { run_message: 'a\u0000b\ud800' };
    const { task } = await ended({ review }, { stage: 'pre_plan', change });
    expect(task.finals).toHaveLength(1);
  });

  test('answers a verification request with 200, and begins no work', async () => {
    const here = await start();
    const task = here.platform.newTask({ stage: 'post_plan', change: { access_token: 'test-token' } });
    expect(await send(here, task)).toMatchObject({ status: 200, body: '' });
    expect(await deliveryRow(here, task.id)).toBeUndefined();
  });

  test('answers a repeated request, at once or after the end, with 200 and does nothing new', async () => {
    const here = await start();
    const task = here.platform.newTask({ stage: 'pre_plan' });
    const all = await Promise.all([send(here, task), send(here, task), send(here, task)]);
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200]);
    await untilEnded(here, task.id);
    expect((await send(here, task)).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(task.callbacks).toHaveLength(1);
  });

  test('keeps no token: not in the payload, and nowhere after the end', async () => {
    const { task, row } = await ended({});
    expect(row?.['status']).toBe('delivered');
    expect(JSON.stringify(row)).not.toContain(task.token);
  });

  test('uses the token of a repeated request', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    const here = await start({ review: () => gate.then(() => fine) });
    const task = here.platform.newTask({ stage: 'pre_plan', change: { access_token: 'lost' } });
    await send(here, task);
    await sendTask(here.url, { ...task.payload, access_token: task.token }, { key });
    openGate();
    await untilEnded(here, task.id);
    expect(task.finals).toHaveLength(1);
  });

  longTest('repeats a callback that is refused until it is taken', async () => {
    const onCallback = (nth: number) => (nth < 3 ? 'refuse' : 'take');
    const { task } = await ended({}, { stage: 'pre_plan', onCallback });
    expect(task.callbacks.map(({ answered }) => answered)).toEqual([503, 503, 200]);
  });

  longTest('is unsure of a final whose first answer was lost, and which is refused afterwards', async () => {
    const onCallback = (nth: number) => (nth === 1 ? 'lose' : 'take');
    const here = await start();
    const task = here.platform.newTask({ stage: 'pre_plan', onCallback });
    await send(here, task);
    expect(await untilEnded(here, task.id)).toMatchObject({ status: 'unsure', access_token: null });
    expect(task.callbacks.map(({ answered }) => answered)).toEqual([0, 422, 422]);
    expect(task.finals).toHaveLength(1);
    expect((await send(here, task)).status).toBe(410);
  });

  longTest('gives up on a platform that refuses the result with 422, without its outcomes too', async () => {
    const here = await start({ review: async () => ({ ...fine, outcomes: outcomes(3) }) });
    const task = here.platform.newTask({ stage: 'pre_plan' });
    task.finals.push({ status: 'failed', outcomes: [] });
    await send(here, task);
    expect((await untilEnded(here, task.id))?.['status']).toBe('given_up');
    expect(task.callbacks.map(({ result }) => result?.outcomes.length)).toEqual([3, 0]);
  });

  longTest('gives up at the deadline, and erases the token', async () => {
    let now = Date.parse('2026-12-01T12:00:00Z');
    const here = await start({ now: () => now });
    const task = here.platform.newTask({ stage: 'pre_plan', onCallback: () => 'refuse' });
    await send(here, task);
    await until(() => task.callbacks.length > 0);
    now += 10 * 60 * 1000;
    expect(await untilEnded(here, task.id)).toMatchObject({ status: 'given_up', access_token: null });
    const sent = task.callbacks.length;
    expect((await send(here, task)).status).toBe(410);
    expect(task.callbacks).toHaveLength(sent);
  });

  test('gives up, and counts it, where the review begins after the deadline', async () => {
    const metrics = new Metrics();
    const received = Date.parse('2026-12-01T12:00:00Z');
    const times = [received];
    const here = await start({ metrics, now: () => times.pop() ?? received + 10 * 60 * 1000 });
    const task = here.platform.newTask({ stage: 'pre_plan' });
    expect((await send(here, task)).status).toBe(200);
    const error = 'It was not reviewed in time.';
    expect(await untilEnded(here, task.id)).toMatchObject({ status: 'given_up', access_token: null, error });
    const counted = 'gatehouse_deliveries_ended_total{status="given_up"} 1\n';
    await until(async () => (await metrics.text()).includes(counted));
    expect(task.callbacks).toEqual([]);
  });

  test('fails a task whose review is not done in time, well before the deadline', async () => {
    const { task } = await ended({ review: () => new Promise(() => {}), timing: { reviewMs: 200 } });
    expect(task.finals).toEqual([
      { status: 'failed', message: 'The review did not finish in time.', outcomes: [] },
    ]);
  });

  longTest('fails a task whose plan comes too slowly', async () => {
    const { task } = await ended({ timing: { reviewMs: 300 } }, { stage: 'post_plan', slowMs: 1000 });
    expect(task.finals[0]).toMatchObject({ status: 'failed' });
  });

  longTest('fails a task whose plan is too large', async () => {
    const { task } = await ended({}, { stage: 'post_plan', plan: `"${'x'.repeat(64 * 1024 * 1024)}"` });
    expect(task.finals).toEqual([
      {
        status: 'failed',
        message: expect.stringMatching(/too large/),
        outcomes: [
          expect.objectContaining({ outcomeId: expect.stringMatching(/^plan_/), body: expect.any(String) }),
        ],
      },
    ]);
  });

  test('does not begin a review again that has ended its process three times', async () => {
    const here = await start({ review: () => Promise.reject(new Error('begun')) });
    const task = here.platform.newTask({ stage: 'pre_plan' });
    await database().query(`ALTER TABLE deliveries ALTER COLUMN reviews_started SET DEFAULT 3`);
    await send(here, task);
    await untilEnded(here, task.id);
    await database().query(`ALTER TABLE deliveries ALTER COLUMN reviews_started SET DEFAULT 0`);
    expect(task.finals[0]?.message).toMatch(/3 times/);
  });

  test('says nothing of an unexpected error to the platform', async () => {
    const { task } = await ended({ review: () => Promise.reject(new Error('quoted from the plan')) });
    expect(task.finals[0]?.status).toBe('failed');
    expect(task.finals[0]?.message).not.toContain('quoted');
  });

  const digestOf = ({ plan }: ReviewRequest) => planDigest(JSON.parse(Buffer.from(plan ?? []).toString()));
  test('knows at pre_apply what was reviewed at post_plan of the same run, whatever its layout', async () => {
    const seen: ReviewRequest[] = [];
    const here = await start({
      review: async (request) => {
        seen.push(request);
        return { ...fine, digest: digestOf(request) };
      },
    });
    const change = { run_id: `run-${databases.kind}` };
    const plans = ['{"a":1,"b":[2]}', '{ "b": [2], "a": 1 }', '{"a":1,"b":[3]}'];
    for (const [at, plan] of plans.entries()) {
      const task = here.platform.newTask({ stage: at === 0 ? 'post_plan' : 'pre_apply', plan, change });
      await send(here, task);
      await untilEnded(here, task.id);
    }
    const [first, same, other] = seen;
    const digest = first && digestOf(first);
    expect(same?.reviewed).toEqual({ digest });
    expect(other?.reviewed).toEqual({ digest });
  });

  longTest('has large plans hold up no small ones, however many, and reviews each once', async () => {
    const reviewed: number[] = [];
    const { promise: waiting, resolve: goOn } = Promise.withResolvers<void>();
    const here = await start({
      largestPlan: 1000,
      review: async ({ plan = [] }) => {
        if (plan.length > 1000) await waiting;
        reviewed.push(plan.length);
        return fine;
      },
    });
    const large = JSON.stringify({ filled: 'x'.repeat(1000) });
    // More than all that is under way at once.
    const all = (plan: unknown, count: number) =>
      Array.from({ length: count }, () => here.platform.newTask({ stage: 'post_plan', plan }));
    const larges = all(large, 70);
    await Promise.all(larges.map((task) => send(here, task)));
    const smalls = all('{}', 5);
    for (const task of smalls) {
      await send(here, task);
      await untilEnded(here, task.id);
    }
    expect(reviewed).toEqual([2, 2, 2, 2, 2]);
    goOn();
    await until(() => larges.every(({ finals }) => finals.length > 0));
    expect(reviewed.filter((length) => length > 1000)).toHaveLength(larges.length);
    expect(larges.every(({ finals }) => finals.length === 1)).toBe(true);
  });

  test('sends a waiting result at once when asked to, and no other', async () => {
    const here = await start();
    const task = here.platform.newTask({
      stage: 'pre_plan',
      onCallback: (nth) => (nth === 1 ? 'refuse' : 'take'),
    });
    await send(here, task);
    await until(() => task.callbacks.length > 0);
    const id = String((await deliveryRow(here, task.id))?.['id']);
    await here.integrator.retry(id);
    await untilEnded(here, task.id);
    expect(task.finals).toHaveLength(1);
    await expect(here.integrator.retry(id)).rejects.toMatchObject({ code: 'delivery_not_waiting' });
    await expect(here.integrator.retry('none')).rejects.toMatchObject({ code: 'delivery_unknown' });
  });
});
