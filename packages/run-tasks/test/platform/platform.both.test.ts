import { describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { until } from '../../../../test/harness/until.ts';
import { parseEnvironment } from '../../../core/src/environment/environment.ts';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import { callBack, type Received } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

const all = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] as const;

describePlatform('the platform', (under) => {
  test('takes a run through its stages in order, and applies the plan once', async () => {
    under.work.tasks = [under.task('review', [...all])];
    const run = await under.run();
    for (const stage of all) await callBack(await under.requested(run, stage), 'passed');
    expect(await under.ended(run.id)).toMatchObject({ status: 'applied', hasApplied: true });
    expect(under.integrator.received.map(({ payload }) => payload.stage)).toEqual([...all]);
    expect(under.work.done).toEqual([`plan ${under.stack}`, `apply ${under.stack} {"steps":["a change"]}`]);
  });

  test('records when a run entered each status', async () => {
    const { id } = await under.run();
    const { statusTimes, createdAt, endedAt } = await under.ended(id);
    expect(statusTimes.map(({ status }) => status)).toEqual([
      'pre_plan',
      'planning',
      'post_plan',
      'pre_apply',
      'applying',
      'post_apply',
      'applied',
    ]);
    const times = [createdAt, ...statusTimes.map(({ at }) => at)];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBe(endedAt);
  });

  longTest.each(all)(
    'a mandatory task that fails at %s stops the run before the next step',
    async (stage) => {
      under.work.tasks = [under.task('review', [stage])];
      const run = await under.run();
      await callBack(await under.requested(run, stage), 'failed', { message: 'no' });
      expect(await under.ended(run.id)).toMatchObject({
        status: 'stopped',
        hasApplied: stage === 'post_apply',
      });
      expect(under.work.done.some((one) => one.startsWith('apply'))).toBe(stage === 'post_apply');
    },
  );

  test('an advisory task that fails is shown, and the run goes on', async () => {
    under.work.tasks = [under.task('advice', ['post_plan'], 'advisory')];
    const run = await under.run();
    await callBack(await under.requested(run, 'post_plan'), 'failed', { message: 'better not' });
    expect(await under.ended(run.id)).toMatchObject({
      status: 'applied',
      tasks: [{ status: 'failed', message: 'better not', enforcement: 'advisory' }],
    });
  });

  test('waits for every task of a stage', async () => {
    under.work.tasks = [under.task('one', ['post_plan']), under.task('two', ['post_plan'])];
    const run = await under.run();
    await callBack(await under.requested(run, 'post_plan', 'one'), 'passed');
    expect((await under.platform.readRun(run.id)).status).toBe('post_plan');
    await callBack(await under.requested(run, 'post_plan', 'two'), 'passed');
    expect((await under.ended(run.id)).status).toBe('applied');
  });

  test('plans only where the run is speculative', async () => {
    const run = await under.run(under.stack, { isSpeculative: true });
    expect((await under.ended(run.id)).status).toBe('planned_and_finished');
    expect(under.work.done).toEqual([`plan ${under.stack} speculatively`]);
  });

  test('a plan that fails ends the run with its reason', async () => {
    under.work.onPlan = async () => {
      throw new GatehouseError({ code: 'plan_failed', what: 'no plan today' });
    };
    expect(await under.ended((await under.run()).id)).toMatchObject({
      status: 'errored',
      reason: 'no plan today',
    });
  });

  test('an apply that fails ends the run with its reason, and no post_apply comes', async () => {
    under.work.tasks = [under.task('after', ['post_apply'])];
    under.work.onApply = async () => ({ succeeded: false, message: 'another plan' });
    expect(await under.ended((await under.run()).id)).toMatchObject({
      status: 'errored',
      reason: 'another plan',
      hasApplied: false,
    });
    expect(under.integrator.received).toEqual([]);
  });

  test('ends whatever text a plan or an apply brings', async () => {
    const gained = ['gains: a\0b\ud800'];
    under.work.onPlan = async () => ({ json: {}, hasChanges: true, gains: 'some', gained });
    under.work.onApply = async () => ({ succeeded: false, message: 'a\0b' });
    const run = await under.ended((await under.run()).id);
    expect(run).toMatchObject({ status: 'errored', gained, reason: 'a\ufffdb' });
  });

  longTest(
    'lists runs by stack, status and text, also that of a commit, whatever characters they have',
    async () => {
      under.work.commitMessage = 'Rotate "keys" \\o/';
      const lost = ['Closed way in: role old'];
      under.work.onPlan = async () => ({
        json: {},
        hasChanges: false,
        gains: 'none',
        gained: [],
        lost,
        summary: '1 to delete: role old',
      });
      const { id } = await under.ended((await under.run()).id);
      const found = async (search?: string, statuses?: string[]) =>
        (await under.platform.readRuns({ stack: under.stack, search, statuses, limit: 10 })).map(
          (one) => one.id,
        );
      expect(await Promise.all(['ROTATE', 'role old', id, undefined].map((one) => found(one)))).toEqual(
        Array(4).fill([id]),
      );
      expect(await Promise.all(['tasks', '%', 'x'.repeat(200)].map((one) => found(one)))).toEqual([
        [],
        [],
        [],
      ]);
      expect(await found(undefined, ['planned_and_finished'])).toEqual([id]);
      expect(await found(undefined, ['applied', 'errored'])).toEqual([]);
      expect(await under.platform.readRun(id)).toMatchObject({
        lost,
        summary: '1 to delete: role old',
      });
    },
  );

  test('what goes wrong unforeseen says no more than that', async () => {
    under.work.onPlan = async () => {
      throw new Error('secret hvs.123');
    };
    const run = await under.ended((await under.run()).id);
    expect(run.status).toBe('errored');
    expect(JSON.stringify(run)).not.toContain('hvs.123');
  });

  test('a run of a stack that cannot be read is not made', async () => {
    under.work.describeError = new GatehouseError({ code: 'stack_unknown', what: 'no such stack' });
    await expect(under.run()).rejects.toThrow('no such stack');
    expect(await under.platform.readRuns({ stack: under.stack, limit: 10 })).toEqual([]);
  });

  test('runs of one stack come one after the other, those of another at once', async () => {
    const { request: held } = await under.asked('post_plan');
    const second = await under.run();
    const third = await under.run();
    const other = await under.run(`${under.stack}-other`);
    await under.requested(other, 'post_plan');
    const waiting = await Promise.all([second, third].map(({ id }) => under.platform.readRun(id)));
    expect(waiting.map(({ status }) => status)).toEqual(['pending', 'pending']);

    await callBack(held, 'failed');
    await callBack(await under.requested(second, 'post_plan'), 'passed');
    expect((await under.ended(second.id)).status).toBe('applied');
    await callBack(await under.requested(third, 'post_plan'), 'passed');
    expect((await under.ended(third.id)).status).toBe('applied');
  });

  test('a run that waited is gated by the tasks that the stack has when its turn comes', async () => {
    const { request: held } = await under.asked('post_plan');
    const second = await under.run();
    under.work.tasks = [under.task('new', ['post_plan'])];
    await callBack(held, 'passed');
    expect((await under.requested(second, 'post_plan', 'new')).run_id).toBe(second.id);
  });

  test('a run that only plans neither waits for others nor holds them up', async () => {
    const { run: waiting, request: held } = await under.asked('post_plan');
    const speculative = await under.run(under.stack, { isSpeculative: true });
    expect((await under.platform.readRun(speculative.id)).ahead).toBeUndefined();
    const theirs = await under.requested(speculative, 'post_plan');
    const next = await under.run();
    await callBack(held, 'passed');
    expect((await under.ended(waiting.id)).status).toBe('applied');
    await callBack(await under.requested(next, 'post_plan'), 'passed');
    expect((await under.ended(next.id)).status).toBe('applied');
    await callBack(theirs, 'passed');
    expect((await under.ended(speculative.id)).status).toBe('planned_and_finished');
  });

  longTest('plans and applies one run of a stack at a time', async () => {
    const finish = under.work.holdApplies();
    const applied = await under.run();
    await until(() => under.work.done.some((one) => one.startsWith('apply')));
    const speculative = await under.run(under.stack, { isSpeculative: true });
    await under.runWhen(speculative.id, ({ status }) => status === 'planning');
    // Its job is tried, and tried again.
    const tried =
      "SELECT FROM pgboss.job WHERE name = 'platform-plan' AND data->>'run' = $1 AND retry_count > 0";
    await until(async () => (await under.database.query(tried, [speculative.id])).length > 0);
    expect(under.work.done).toHaveLength(2);
    finish();
    expect((await under.ended(applied.id)).status).toBe('applied');
    expect((await under.ended(speculative.id)).status).toBe('planned_and_finished');
  });

  describe('files that are not those of their commit', () => {
    test('at its turn end a run that did not allow them', async () => {
      under.work.commit = 'c0ffee';
      const { request: held } = await under.asked('post_plan');
      const second = await under.run();
      under.work.version = '';
      await callBack(held, 'failed');
      expect(await under.ended(second.id)).toMatchObject({
        status: 'errored',
        reason: expect.stringContaining('not committed'),
      });
      expect(under.work.done).toEqual([`plan ${under.stack}`]);
    });

    test('end a run whose program read others than run tasks were asked about', async () => {
      under.work.commit = 'c0ffee';
      under.work.filesDigest = 'one';
      under.work.onPlan = async () => ({ json: {}, filesDigest: 'other', hasChanges: true });
      const { id } = await under.run();
      expect(await under.ended(id)).toMatchObject({
        status: 'errored',
        reason: expect.stringContaining('changed after the run began'),
      });
    });

    test.each(['', 'beef'])('end a run whose files changed while it was planned (to %j)', async (version) => {
      under.work.commit = 'c0ffee';
      under.work.onPlan = async () => {
        under.work.version = version;
        return { json: { steps: ['a change'] }, hasChanges: true };
      };
      const run = await under.ended((await under.run()).id);
      expect(run).toMatchObject({
        status: 'errored',
        reason: expect.stringContaining('changed after the run'),
      });
      expect(run.planDigest).toBeUndefined();
    });
  });

  test('keeps no key in the database', async () => {
    under.work.key = 'a-key-to-be-found';
    await under.asked('pre_plan');
    expect(await wholeDatabase(under)).not.toContain('a-key-to-be-found');
  });

  describe('a request that is not accepted', () => {
    longTest('with anything but 200 is sent again, for the same task result, until it is', async () => {
      const answers = [202, 204, 302, 404, 503, undefined];
      const seen: Record<string, Received[]> = {};
      under.integrator.answer = (request) => {
        const index = Number(request.path.slice(1));
        const before = seen[index] ?? [];
        seen[index] = [...before, request];
        return before.length === 0 ? answers[index] : 200;
      };
      under.work.tasks = answers.map((_, index) => under.task(String(index), ['pre_plan']));
      const run = await under.run();
      await until(async () => under.integrator.received.length >= 2 * answers.length);
      for (const [first, again] of Object.values(seen)) {
        expect(again?.payload.task_result_id).toBe(first?.payload.task_result_id);
        // A lost answer leaves the earlier token with somebody: both are good.
        expect(again?.payload.access_token).not.toBe(first?.payload.access_token);
        expect((await callBack(first?.payload, 'running')).status).toBe(200);
        expect((await callBack(again?.payload, 'passed')).status).toBe(200);
      }
      expect((await under.ended(run.id)).status).toBe('applied');
    });

    test('is sent again after the pause of its task, which says why', async () => {
      under.integrator.answer = () => 503;
      const timing = { finalStatusMs: 600_000, retryForMs: 600_000, retryPauseMs: 30_000 };
      under.work.tasks = [{ ...under.task('review', ['pre_plan']), timing }];
      const { id } = await under.run();
      const { tasks } = await under.runWhen(id, (one) => (one.tasks[0]?.attempts ?? 0) > 0);
      expect(tasks[0]).toMatchObject({ status: 'pending', trouble: 'answered with 503 instead of 200' });
      const job = "SELECT retry_delay FROM pgboss.job WHERE name = 'platform-send' AND data->>'task' = $1";
      expect(await under.database.query(job, [tasks[0]?.id])).toEqual([{ retry_delay: 30 }]);
      await under.cancel(id);
    });

    test('since the stack cannot be read names the problem, on one line', async () => {
      under.work.tasks = [under.task('review', ['post_plan'])];
      let isBroken = false;
      under.work.signingKey = async () => {
        if (isBroken) parseEnvironment({ service: { address: 'no address' } });
        return undefined;
      };
      under.work.onPlan = async () => {
        isBroken = true;
        return { json: {}, hasChanges: true };
      };
      const { id } = await under.run();
      const { tasks } = await under.runWhen(id, (one) => (one.tasks[0]?.attempts ?? 0) > 0);
      expect(tasks[0]?.trouble).toMatch(/^the configuration has one problem: gatehouse:service.address: .+$/);
      await under.cancel(id);
    });

    test('at an address that is never called ends the task at once', async () => {
      const advice = under.task('advice', ['pre_plan'], 'advisory');
      under.work.tasks = [{ ...advice, url: 'http://169.254.169.254/latest' }];
      const run = await under.ended((await under.run()).id);
      expect(run).toMatchObject({ status: 'applied', tasks: [{ status: 'errored' }] });
      expect(run.tasks[0]?.message).toContain('not one of the allowed origins');
    });
  });

  describe('canceling', () => {
    test('ends a run that waits for its tasks, and these with it', async () => {
      const { run, request } = await under.asked('post_plan');
      expect(await under.cancel(run.id)).toMatchObject({
        status: 'canceled',
        reason: 'Canceled by bob.',
        tasks: [{ status: 'errored' }],
      });
      expect((await callBack(request, 'passed')).status).toBe(422);
      expect((await under.platform.readRun(run.id)).status).toBe('canceled');
    });

    test('ends a run that waits for its turn, and the others keep theirs', async () => {
      const { request: held } = await under.asked('post_plan');
      const second = await under.run();
      const third = await under.run();
      await under.cancel(second.id);
      await callBack(held, 'passed');
      expect((await under.requested(third, 'post_plan')).run_id).toBe(third.id);
    });

    test('while it is planned drops the plan', async () => {
      const { promise: planned, resolve: finish } = Promise.withResolvers<void>();
      under.work.onPlan = () => planned.then(() => ({ json: {}, hasChanges: true }));
      const run = await under.run();
      await until(async () => under.work.done.length > 0);
      await under.cancel(run.id);
      finish();
      const next = await under.run();
      expect((await under.ended(next.id)).status).toBe('applied');
      expect((await under.platform.readRun(run.id)).status).toBe('canceled');
    });

    test('is refused while the plan is applied, and after the end', async () => {
      const finish = under.work.holdApplies();
      const run = await under.run();
      await until(async () => under.work.done.length > 1);
      const refused = expect.objectContaining({ code: 'run_not_cancelable' });
      await expect(under.cancel(run.id)).rejects.toEqual(refused);
      finish();
      await under.ended(run.id);
      await expect(under.cancel(run.id)).rejects.toEqual(refused);
    });

    test('twice is once', async () => {
      const { run } = await under.asked('pre_plan');
      await under.cancel(run.id);
      expect((await under.cancel(run.id, 'carol')).reason).toBe('Canceled by bob.');
    });
  });

  test('running again makes a new run of the same stack', async () => {
    const run = await under.run(under.stack, { isSpeculative: true });
    await under.ended(run.id);
    const again = await under.platform.rerun(run.id, 'bob');
    expect(again).toMatchObject({
      stack: under.stack,
      message: 'a change',
      isSpeculative: true,
      createdBy: 'bob',
    });
    expect(again.id).not.toBe(run.id);
    expect((await under.ended(again.id)).status).toBe('planned_and_finished');
  });
});

async function wholeDatabase({ database }: PlatformUnderTest): Promise<string> {
  const tables = ['runs', 'task_results', 'access_tokens', 'verifications', 'pgboss.job'];
  return JSON.stringify(await Promise.all(tables.map((table) => database.query(`SELECT * FROM ${table}`))));
}
