import { beforeEach, describe, expect, test } from '@jest/globals';
import { longTest } from '../../../../test/harness/long-run.ts';
import { planDigest } from '../../../core/src/run-task/plan-digest.ts';
import { callBack } from './scripted-integrator.ts';
import { describePlatform } from './started-platform.ts';

const plan = { steps: ['a change'] };
const digest = planDigest(plan);

describePlatform('what people decide about a run', (under) => {
  const refused = (status: number, code: string) => ({ status, body: { error: { code } } });
  const decide = (id: string, what: string, token: string, body: object = {}) =>
    under.ask('POST', `/runs/${id}/${what}`, token, body);
  const applied = () => under.work.done.filter((one) => one.startsWith('apply')).length;
  const waiting = async () => {
    const { id } = await under.run();
    return await under.runWhen(id, ({ status }) => status.startsWith('waiting'));
  };

  describe('a plan that must be confirmed', () => {
    beforeEach(() => {
      under.work.decisions = { confirm: 'always' };
    });

    test('waits, and is applied once it is confirmed: who, when, why and which plan are stored', async () => {
      const run = await waiting();
      expect([run.status, applied()]).toEqual(['waiting_for_confirmation', 0]);
      const why = { reason: 'looks right', planDigest: digest };
      expect((await decide(run.id, 'confirm', 'deployer', why)).status).toBe(200);
      const decision = { ...why, kind: 'confirmed', by: 'deployer', decidedAt: under.now };
      expect(await under.ended(run.id)).toMatchObject({ status: 'applied', decisions: [decision] });
    });

    longTest('is discarded, with the reason', async () => {
      const run = await waiting();
      await decide(run.id, 'discard', 'deployer', { reason: 'not today' });
      expect(await under.platform.readRun(run.id)).toMatchObject({
        status: 'discarded',
        reason: 'Discarded by deployer: not today',
        decisions: [{ kind: 'discarded', by: 'deployer', reason: 'not today', planDigest: digest }],
      });
      expect(applied()).toBe(0);
    });

    test('is what the next run of the stack waits behind, and says so while it waits', async () => {
      const run = await under.run();
      const next = await under.run();
      await under.runWhen(run.id, ({ status }) => status === 'waiting_for_confirmation');
      const events = under.events(next.id);
      expect((await events.next()).value?.ahead).toEqual({ id: run.id, status: 'waiting_for_confirmation' });
      await decide(run.id, 'discard', 'deployer');
      expect((await events.next()).value?.ahead).toBeNull();
      await events.return(undefined);
      await under.runWhen(next.id, ({ status }) => status === 'waiting_for_confirmation');
      await decide(next.id, 'discard', 'deployer');
    });

    test('waits with whenGained, as it gains some', async () => {
      under.work.decisions = { confirm: 'whenGained' };
      const gained = ['New way in: x'];
      under.work.onPlan = async () => ({ json: plan, hasChanges: true, gains: 'some', gained });
      expect(await waiting()).toMatchObject({ status: 'waiting_for_confirmation', gained });
    });

    test('is confirmed once, however many do at once', async () => {
      const run = await waiting();
      const answers = await Promise.all(
        ['deployer', 'root', 'deployer', 'root'].map((token) => decide(run.id, 'confirm', token)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      const ended = await under.ended(run.id);
      expect([ended.status, ended.decisions.length, applied()]).toEqual(['applied', 1, 1]);
    });

    test('is either canceled or applied, where somebody cancels while another confirms', async () => {
      const run = await waiting();
      await Promise.all([decide(run.id, 'confirm', 'deployer'), decide(run.id, 'cancel', 'root')]);
      const { status, hasApplied } = await under.ended(run.id);
      expect([status, hasApplied]).toEqual([status, status === 'applied']);
      expect(applied()).toBe(hasApplied ? 1 : 0);
    });

    test('is not confirmed with the digest of another plan', async () => {
      const run = await waiting();
      expect(await decide(run.id, 'confirm', 'deployer', { planDigest: 'b'.repeat(64) })).toMatchObject(
        refused(409, 'plan_differs'),
      );
      expect((await decide(run.id, 'discard', 'deployer')).status).toBe(200);
    });

    longTest.each([
      ['the plan', `UPDATE runs SET plan = '{"steps":["another change"]}' WHERE id = $1`],
      ['its digest', `UPDATE runs SET plan_digest = '${'b'.repeat(64)}' WHERE id = $1`],
      ['the decision', 'DELETE FROM decisions WHERE run = $1'],
      ['the plan of the decision', `UPDATE decisions SET plan_digest = '${'b'.repeat(64)}' WHERE run = $1`],
    ])('is not applied where somebody edits %s in the store meanwhile', async (_, edit) => {
      under.work.tasks = [under.task('gate', ['pre_apply'])];
      const run = await waiting();
      await decide(run.id, 'confirm', 'deployer');
      const request = await under.requested(run, 'pre_apply');
      await under.database.query(edit, [run.id]);
      await callBack(request, 'passed');
      expect((await under.ended(run.id)).status).toBe('stopped');
      expect(applied()).toBe(0);
    });
  });

  test('a run that does not wait takes no confirmation and no discarding', async () => {
    const { run } = await under.asked('post_plan');
    for (const what of ['confirm', 'discard']) {
      expect(await decide(run.id, what, 'deployer')).toMatchObject(refused(409, 'run_not_waiting'));
    }
    expect((await decide(run.id, 'accept', 'root', { task: 'review', reason: 'x' })).status).toBe(409);
    await decide(run.id, 'cancel', 'deployer');
  });

  describe('a mandatory task that did not pass', () => {
    const accept = (id: string, token = 'accepter', body: object = {}) =>
      decide(id, 'accept', token, { task: 'review', reason: 'the rule is wrong', ...body });
    beforeEach(() => {
      under.work.decisions = { confirm: 'never', acceptWith: { namespace: '', name: 'Accept-Failures' } };
    });
    const failed = async () => {
      const { run, request } = await under.asked('post_plan');
      await callBack(request, 'failed', { message: 'no' });
      return await under.platform.readRun(run.id);
    };
    /** With a second task, both of which failed. */
    const bothFailed = async () => {
      under.work.tasks = ['review', 'second'].map((name) => under.task(name, ['post_plan']));
      const run = await under.run();
      for (const { name } of under.work.tasks) {
        await callBack(await under.requested(run, 'post_plan', name), 'failed');
      }
      return run;
    };

    test('is accepted by a holder of the policy, with a reason: the plan is applied', async () => {
      const run = await failed();
      expect([run.status, applied()]).toEqual(['waiting_for_acceptance', 0]);
      expect((await accept(run.id)).status).toBe(200);
      const decision = {
        kind: 'accepted',
        task: run.tasks[0]?.id,
        by: 'accepter',
        entity: 'entity of accepter',
        planDigest: digest,
      };
      expect(await under.ended(run.id)).toMatchObject({
        status: 'applied',
        tasks: [{ status: 'failed', message: 'no' }],
        decisions: [{ ...decision, reason: 'the rule is wrong' }],
      });
    });

    longTest('is accepted by nobody else, who may deploy or not', async () => {
      const run = await failed();
      for (const token of ['deployer', 'reader']) {
        expect(await accept(run.id, token)).toMatchObject(refused(403, 'accepting_refused'));
      }
      expect((await accept(run.id, 'root')).status).toBe(200);
      await under.ended(run.id);
    });

    longTest.each([
      ['no reason', { reason: undefined }, 422],
      ['an empty reason', { reason: '  ' }, 422],
      ['a reason that no database stores', { reason: 'a\u0000b' }, 422],
      ['an unknown field', { force: true }, 422],
      ['another plan', { planDigest: 'b'.repeat(64) }, 409],
      ['a task that there is not', { task: 'other' }, 409],
    ])('is not accepted with %s', async (_, body, status) => {
      const run = await failed();
      expect((await accept(run.id, 'accepter', body)).status).toBe(status);
      expect((await under.platform.readRun(run.id)).status).toBe('waiting_for_acceptance');
      await decide(run.id, 'discard', 'deployer');
      expect(applied()).toBe(0);
    });

    longTest('is not accepted for all: each failure has its own acceptance', async () => {
      const run = await bothFailed();
      const toAccept = async () => {
        const { body } = await under.ask('GET', `/runs/${run.id}`, 'reader');
        return body.toAccept.map((id: string) => body.tasks.find((task: any) => task.id === id).name);
      };
      expect(await toAccept()).toEqual(['review', 'second']);
      await accept(run.id);
      expect((await under.platform.readRun(run.id)).status).toBe('waiting_for_acceptance');
      expect(await toAccept()).toEqual(['second']);
      // A second time is once.
      await accept(run.id);
      expect((await under.platform.readRun(run.id)).decisions.length).toBe(1);
      await accept(run.id, 'accepter', { task: 'second' });
      expect((await under.ended(run.id)).status).toBe('applied');
      expect(await toAccept()).toEqual([]);
    });

    test.each([
      ['the task of the acceptance', `UPDATE decisions SET task = 'other' WHERE run = $1`],
      ['the tasks', `DELETE FROM task_results WHERE run = $1 AND stage = 'post_plan'`],
    ])('is not applied where somebody edits %s in the store meanwhile', async (_, edit) => {
      under.work.tasks = [under.task('review', ['post_plan']), under.task('gate', ['pre_apply'])];
      const startedRun = await under.run();
      await callBack(await under.requested(startedRun, 'post_plan'), 'failed');
      const run = await under.platform.readRun(startedRun.id);
      await accept(run.id);
      const request = await under.requested(run, 'pre_apply');
      await under.database.query('DELETE FROM access_tokens WHERE task_result = $1', [run.tasks[0]?.id]);
      await under.database.query(edit, [run.id]);
      await callBack(request, 'passed');
      await under.runWhen(run.id, ({ status }) => status === 'waiting_for_acceptance');
      await decide(run.id, 'discard', 'deployer');
      expect(applied()).toBe(0);
    });

    describe('retried', () => {
      const retry = (id: string, task = 'review') => decide(id, 'retry', 'deployer', { task });

      test('gets a new request, and the run goes on with its result; the old one is kept', async () => {
        const run = await failed();
        const old = await under.requested(run, 'post_plan');
        expect((await retry(run.id)).body.status).toBe('post_plan');
        const request = await under.requested(run, 'post_plan');
        expect(request.task_result_id).not.toBe(old.task_result_id);
        expect(request.access_token).not.toBe(old.access_token);
        // The integrator's last word on the old one was its last.
        expect((await callBack(old, 'passed')).status).toBe(422);
        await callBack(request, 'passed');
        expect(await under.ended(run.id)).toMatchObject({
          status: 'applied',
          tasks: [{ status: 'failed', supersededAt: under.now }, { status: 'passed' }],
          decisions: [{ kind: 'retried', by: 'deployer', task: old.task_result_id }],
        });
      });

      test('starts with all its time and no attempts', async () => {
        const run = await failed();
        under.now += 60 * 60_000;
        under.integrator.answer = () => 503;
        await retry(run.id);
        const again = await under.runWhen(run.id, ({ tasks }) => (tasks[1]?.attempts ?? 0) > 0);
        await under.platform.sweep();
        expect(again.tasks[1]).toMatchObject({ status: 'pending', requestedAt: under.now, attempts: 1 });
        await decide(run.id, 'cancel', 'deployer');
      });

      longTest('is not accepted by the acceptance of its first result', async () => {
        const run = await bothFailed();
        await accept(run.id);
        await retry(run.id);
        await under.runWhen(run.id, ({ tasks }) => (tasks[2]?.attempts ?? 0) > 0);
        await callBack(await under.requested(run, 'post_plan', 'review'), 'failed');
        await accept(run.id, 'accepter', { task: 'second' });
        expect((await under.platform.readRun(run.id)).status).toBe('waiting_for_acceptance');
        await decide(run.id, 'discard', 'deployer');
      });

      test('works while its stage still waits for others, without any policy', async () => {
        under.work.decisions = undefined;
        under.work.tasks = [under.task('review', ['pre_plan']), under.task('slow', ['pre_plan'])];
        const run = await under.run();
        await callBack(await under.requested(run, 'pre_plan', 'review'), 'failed');
        await retry(run.id);
        await under.runWhen(run.id, ({ tasks }) => (tasks[2]?.attempts ?? 0) > 0);
        await callBack(await under.requested(run, 'pre_plan', 'review'), 'passed');
        await callBack(await under.requested(run, 'pre_plan', 'slow'), 'passed');
        expect((await under.ended(run.id)).status).toBe('applied');
      });

      test('is refused of a task that is open or passed, and twice', async () => {
        under.work.tasks = [under.task('review', ['pre_plan']), under.task('slow', ['pre_plan'])];
        const run = await under.run();
        await callBack(await under.requested(run, 'pre_plan', 'review'), 'passed');
        await under.requested(run, 'pre_plan', 'slow');
        expect((await retry(run.id)).status).toBe(409);
        expect((await retry(run.id, 'slow')).status).toBe(409);
        await callBack(await under.requested(run, 'pre_plan', 'slow'), 'running');
        await decide(run.id, 'cancel', 'deployer');
        expect((await retry(run.id, 'slow')).status).toBe(409);
      });

      test('is asked once, however many ask at once', async () => {
        const run = await failed();
        const answers = await Promise.all([1, 2, 3].map(() => retry(run.id)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
        expect((await under.platform.readRun(run.id)).tasks).toHaveLength(2);
        await decide(run.id, 'cancel', 'deployer');
      });
    });
  });
});
