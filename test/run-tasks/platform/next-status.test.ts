import { describe, expect, test } from '@jest/globals';
import { nextStatus } from '../../../run-tasks/platform/next-status.ts';
import { RunStatus, type RunTask } from '../../../run-tasks/platform/run.ts';

type Task = Pick<RunTask, 'name' | 'stage' | 'status' | 'enforcement'>;
const task = (
  stage: Task['stage'],
  status: Task['status'],
  enforcement: Task['enforcement'] = 'mandatory',
) => ({
  name: 'review',
  stage,
  status,
  enforcement,
});
const run = { isSpeculative: false, hasChanges: true };

describe('where a run goes from a stage', () => {
  test.each([
    ['pre_plan', 'planning'],
    ['post_plan', 'pre_apply'],
    ['pre_apply', 'applying'],
    ['post_apply', 'applied'],
  ] as const)('%s, without tasks: %s', (status, next) => {
    expect(nextStatus({ ...run, status }, [])).toEqual({ status: next });
  });

  test.each([
    ['pre_plan', 'planning'],
    ['post_plan', 'pre_apply'],
    ['pre_apply', 'applying'],
    ['post_apply', 'applied'],
  ] as const)('%s, its mandatory task passed: %s', (status, next) => {
    expect(nextStatus({ ...run, status }, [task(status, 'passed')])).toEqual({ status: next });
  });

  const stages = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] as const;
  test.each(
    stages.flatMap((stage) => (['pending', 'running'] as const).map((status) => [stage, status] as const)),
  )('%s, a task %s: nowhere', (stage, status) => {
    expect(
      nextStatus({ ...run, status: stage }, [task(stage, 'failed'), task(stage, status, 'advisory')]),
    ).toBe(undefined);
  });

  test.each(
    stages.flatMap((stage) => (['failed', 'errored'] as const).map((status) => [stage, status] as const)),
  )('%s, a mandatory task %s: stopped, with the reason', (stage, status) => {
    expect(nextStatus({ ...run, status: stage }, [task(stage, status)])).toEqual({
      status: 'stopped',
      reason: expect.stringContaining(`review (${status})`),
    });
  });

  test.each(
    stages.flatMap((stage) => (['failed', 'errored'] as const).map((status) => [stage, status] as const)),
  )('%s, an advisory task %s: on', (stage, status) => {
    expect(nextStatus({ ...run, status: stage }, [task(stage, status, 'advisory')])?.status).not.toBe(
      'stopped',
    );
  });

  test.each([
    ['speculative', { isSpeculative: true, hasChanges: true }],
    ['without a change', { isSpeculative: false, hasChanges: false }],
    ['of which no plan is on record', { isSpeculative: false }],
  ])('post_plan of a run %s: finished', (_, kind) => {
    expect(nextStatus({ ...kind, status: 'post_plan' }, [])).toEqual({ status: 'planned_and_finished' });
  });

  test('no stage opens the gate to applying over a mandatory task that did not pass earlier', () => {
    const tasks = [task('post_plan', 'failed'), task('pre_apply', 'passed')];
    expect(nextStatus({ ...run, status: 'pre_apply' }, tasks)?.status).toBe('stopped');
  });

  test.each(Object.values(RunStatus).filter((status) => !(stages as readonly string[]).includes(status)))(
    '%s is left by work, or not at all',
    (status) => {
      expect(nextStatus({ ...run, status }, [])).toBe(undefined);
    },
  );
});
