import { describe, expect, test } from '@jest/globals';
import { RunStatus } from '../../../core/src/run-task/run.ts';
import { nextStatus, objectionToApply } from '../../src/platform/next-status.ts';
import type { Decision, Run, RunTask } from '../../src/platform/run.ts';
import type { DecisionSettings } from '../../src/platform/work.ts';

type Task = Pick<RunTask, 'id' | 'name' | 'stage' | 'status' | 'enforcement' | 'supersededAt'>;
const task = (
  stage: Task['stage'],
  status: Task['status'],
  enforcement: Task['enforcement'] = 'mandatory',
): Task => ({ id: `${stage}-1`, name: 'review', stage, status, enforcement });

type GatedRun = Parameters<typeof nextStatus>[0]['run'];
const digest = 'a'.repeat(64);
const runIn = (
  status: Run['status'],
  change: Partial<GatedRun> = {},
  decisions?: DecisionSettings,
  tasks: Run['description']['tasks'] = [],
): GatedRun => ({
  status,
  isSpeculative: false,
  hasChanges: true,
  planDigest: digest,
  description: { tasks, decisions } as Run['description'],
  ...change,
});
const next = (
  run: GatedRun,
  tasks: Task[] = [],
  decisions: Pick<Decision, 'kind' | 'task' | 'planDigest'>[] = [],
) => nextStatus({ run, tasks, decisions });
const stages = ['pre_plan', 'post_plan', 'pre_apply', 'post_apply'] as const;

describe('where a run goes from a stage', () => {
  const steps = [
    ['pre_plan', 'planning'],
    ['post_plan', 'pre_apply'],
    ['pre_apply', 'applying'],
    ['post_apply', 'applied'],
  ] as const;
  test.each(steps)('%s, without tasks or with one that passed: %s', (status, to) => {
    expect(next(runIn(status))).toEqual({ status: to });
    expect(next(runIn(status), [task(status, 'passed')])).toEqual({ status: to });
  });

  test.each(
    stages.flatMap((stage) => (['pending', 'running'] as const).map((status) => [stage, status] as const)),
  )('%s, a task %s: nowhere', (stage, status) => {
    expect(next(runIn(stage), [task(stage, 'failed'), task(stage, status, 'advisory')])).toBe(undefined);
  });

  test.each(
    stages.flatMap((stage) =>
      (['failed', 'errored', 'unreachable'] as const).map((status) => [stage, status] as const),
    ),
  )('%s, a task %s: stopped where it is mandatory, with the reason', (stage, status) => {
    const reason = expect.stringContaining(`review (${status})`);
    expect(next(runIn(stage), [task(stage, status)])).toEqual({ status: 'stopped', reason });
    expect(next(runIn(stage), [task(stage, status, 'advisory')])?.status).not.toBe('stopped');
  });

  test.each([
    ['speculative', { isSpeculative: true, hasChanges: true }],
    ['without a change', { isSpeculative: false, hasChanges: false }],
    ['of which no plan is on record', { hasChanges: undefined }],
  ])('post_plan of a run %s: finished', (_, kind) => {
    expect(next(runIn('post_plan', kind))).toEqual({ status: 'planned_and_finished' });
  });

  test('no stage opens the gate to applying over a mandatory task that did not pass earlier', () => {
    const tasks = [task('post_plan', 'failed'), task('pre_apply', 'passed')];
    expect(next(runIn('pre_apply'), tasks)?.status).toBe('stopped');
  });

  test('no stage opens the gate where a mandatory task was never asked', () => {
    const gate = { stages: ['post_plan' as const], enforcement: 'mandatory' as const };
    const declared = [{ ...gate, name: 'review', url: '/integrator/review' }];
    expect(next(runIn('pre_apply', {}, undefined, declared))).toMatchObject({
      status: 'stopped',
      reason: expect.stringContaining('review (never asked)'),
    });
  });

  test('a task that was retried counts no more', () => {
    const tasks = [
      { ...task('post_plan', 'failed'), supersededAt: 1 },
      { ...task('post_plan', 'passed'), id: 'b' },
    ];
    expect(next(runIn('post_plan'), tasks)?.status).toBe('pre_apply');
  });

  test.each(
    Object.values(RunStatus).filter(
      (status) => !(stages as readonly string[]).includes(status) && !status.startsWith('waiting'),
    ),
  )('%s is left by work, or not at all', (status) => {
    expect(next(runIn(status))).toBe(undefined);
  });
});

describe('a plan that somebody is to confirm', () => {
  const confirmed = { kind: 'confirmed' as const, planDigest: digest };
  test.each([
    ['always', {}, true],
    ['always', undefined, true],
    ['whenGained', { gains: 'some' }, true],
    ['whenGained', { gains: 'unknown' }, true],
    ['whenGained', { life: 'longer' }, true],
    ['whenGained', { life: 'unknown' }, true],
    ['whenGained', { gate: 'weaker' }, true],
    // Nobody judged it.
    ['whenGained', undefined, true],
    ['whenGained', {}, false],
    ['whenGained', { life: 'shorter' }, false],
    ['never', { gains: 'some', life: 'longer', gate: 'weaker' }, false],
  ] as const)('confirm: %s, %j: waits: %s', (confirm, found, waits) => {
    const judged = found && {
      gains: 'none' as const,
      life: 'same' as const,
      gate: 'same' as const,
      ...found,
    };
    const run = runIn('post_plan', { ...judged }, { confirm });
    expect(next(run)?.status).toBe(waits ? 'waiting_for_confirmation' : 'pre_apply');
  });

  const waiting = runIn('waiting_for_confirmation', {}, { confirm: 'always' });
  test('waits until it is confirmed', () => {
    expect(next(waiting)).toBe(undefined);
    expect(next(waiting, [], [confirmed])).toEqual({ status: 'pre_apply' });
  });

  test.each([
    ['another plan', { ...confirmed, planDigest: 'b'.repeat(64) }],
    ['no plan', { kind: 'confirmed' as const }],
    ['a task', { ...confirmed, kind: 'accepted' as const, task: 'post_plan-1' }],
  ])('a decision on %s does not confirm it', (_, decision) => {
    expect(next(waiting, [], [decision])).toBe(undefined);
  });

  test('is not confirmed while nobody knows the plan', () => {
    const unknown = { ...waiting, planDigest: undefined };
    expect(next(unknown, [], [{ kind: 'confirmed' }])).toBe(undefined);
  });

  test('a plan that changes nothing, or is speculative, needs none', () => {
    for (const kind of [{ hasChanges: false }, { isSpeculative: true }]) {
      expect(next(runIn('post_plan', kind, { confirm: 'always' }))?.status).toBe('planned_and_finished');
    }
  });
});

describe('a mandatory task that did not pass, of a stack that names a policy', () => {
  const settings = { confirm: 'never' as const, acceptWith: { namespace: '', name: 'accept-failures' } };
  const accepted = (stage: string, planDigest = digest) => ({
    kind: 'accepted' as const,
    task: `${stage}-1`,
    planDigest,
  });

  test.each(['post_plan', 'pre_apply'] as const)(
    '%s: the run waits, and goes on once it is accepted',
    (stage) => {
      const failed = [task(stage, 'failed')];
      expect(next(runIn(stage, {}, settings), failed)).toEqual({ status: 'waiting_for_acceptance' });
      const waiting = runIn('waiting_for_acceptance', {}, settings);
      expect(next(waiting, failed)).toBe(undefined);
      expect(next(waiting, failed, [accepted(stage)])?.status).toBe(
        stage === 'post_plan' ? 'pre_apply' : 'applying',
      );
      expect(next(waiting, failed, [accepted(stage, 'b'.repeat(64))])).toBe(undefined);
      expect(next(waiting, failed, [accepted('other')])).toBe(undefined);
    },
  );

  test.each(['pre_plan', 'post_apply'] as const)('%s: stopped, as there is no plan to decide on', (stage) => {
    expect(next(runIn(stage, {}, settings), [task(stage, 'failed')])?.status).toBe('stopped');
  });

  test('a run that would apply nothing is stopped', () => {
    const failed = [task('post_plan', 'failed')];
    expect(next(runIn('post_plan', { hasChanges: false }, settings), failed)?.status).toBe('stopped');
    expect(next(runIn('post_plan', { isSpeculative: true }, settings), failed)?.status).toBe('stopped');
  });
});

describe('the last look before a plan is applied', () => {
  const look = (
    change: Partial<GatedRun> = {},
    {
      tasks = [] as Task[],
      decisions = [] as Pick<Decision, 'kind' | 'task' | 'planDigest'>[],
      found = digest,
    } = {},
    settings?: DecisionSettings,
  ) => objectionToApply({ run: runIn('applying', change, settings), tasks, decisions }, found);

  test('lets through what passed, was confirmed, and is the plan that was made', () => {
    const decisions = [{ kind: 'confirmed' as const, planDigest: digest }];
    const tasks = stages.slice(0, 3).map((stage) => task(stage, 'passed'));
    expect(look({}, { tasks, decisions }, { confirm: 'always' })).toBe(undefined);
  });

  test.each([
    ['another plan in the store', {}, { found: 'b'.repeat(64) }],
    ['a run of which no digest is known', { planDigest: undefined }, {}],
    ['a run that only plans', { isSpeculative: true }, {}],
    ['a task that failed', {}, { tasks: [task('post_plan', 'failed')] }],
    ['a task that is open', {}, { tasks: [task('pre_apply', 'running')] }],
  ])('refuses %s', (_, change, found) => {
    expect(look(change, found)).toEqual(expect.any(String));
  });

  test('refuses a plan that nobody confirmed', () => {
    expect(look({}, {}, { confirm: 'always' })).toBe('No one confirmed the plan.');
  });
});
