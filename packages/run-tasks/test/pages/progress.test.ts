import { expect, test } from '@jest/globals';
import type { RunView } from '../../../core/src/run-task/run.ts';
import { progressOf } from '../../src/pages/progress.ts';
import { run, task } from './page-server.ts';

const marks = { done: '=', current: '>', ended: 'x', ahead: '.' };
const prePlan = task({ stage: 'pre_plan' });
const postPlan = task({ stage: 'post_plan', status: 'failed' });

test.each<[line: string, change: Partial<RunView>]>([
  ['......', { status: 'pending', hasChanges: null }],
  ['>.....', { status: 'pre_plan', hasChanges: null }],
  ['=>....', { status: 'planning', hasChanges: null }],
  ['==>...', { status: 'post_plan' }],
  ['==>...', { status: 'waiting_for_acceptance', tasks: [prePlan, postPlan] }],
  ['===>..', { status: 'waiting_for_confirmation', tasks: [prePlan, task()] }],
  ['====>.', { status: 'applying' }],
  ['======', { status: 'applied', hasApplied: true }],
  ['===...', { status: 'planned_and_finished' }],
  ['x.....', { status: 'stopped', hasChanges: null, tasks: [prePlan] }],
  ['==x...', { status: 'stopped', tasks: [prePlan, postPlan] }],
  ['=x....', { status: 'errored', hasChanges: null, tasks: [prePlan] }],
  ['====x.', { status: 'errored' }],
  ['=x....', { status: 'canceled', tasks: [prePlan] }],
  ['x.....', { status: 'canceled', hasChanges: null }],
])('the progress is %s for %j', (line, change) => {
  const shown = progressOf(run(change)).map(({ state }) => marks[state]);
  expect(shown.join('')).toBe(line);
});

test('a step has its time from when it is entered until a later one is, with waits and retries in between', () => {
  const statusTimes = [
    ['pre_plan', 1],
    ['planning', 2],
    ['post_plan', 8],
    ['waiting_for_acceptance', 9],
    ['post_plan', 60],
    ['waiting_for_confirmation', 70],
    ['discarded', 90],
  ].map(([status, second]) => ({
    status: String(status),
    at: new Date(Number(second) * 1000).toISOString(),
  }));
  const shown = progressOf(run({ status: 'discarded', statusTimes }));
  expect(shown.map(({ from = 0, until = 0 }) => [from / 1000, until / 1000])).toEqual([
    [1, 2],
    [2, 8],
    [8, 70],
    [70, 90],
    [0, 0],
    [0, 0],
  ]);
});
