import { describe, expect, test } from '@jest/globals';
import {
  applyResult,
  deadline,
  defaultTiming,
  expire,
  type TaskResult,
  TaskStatus,
} from '../../src/run-task/task-result.ts';

const minute = 60_000;
const pending: TaskResult = { status: TaskStatus.pending, outcomes: [], requestedAt: 0, attempts: 0 };
const accepted: TaskResult = { ...pending, attempts: 1, acceptedAt: 0 };
const result = (status: 'running' | 'passed' | 'failed', ...ids: string[]) => ({
  status,
  outcomes: ids.map((outcomeId) => ({ outcomeId, description: `${status} ${outcomeId}` })),
});

function afterwards(task: TaskResult, ...results: ReturnType<typeof result>[]): TaskResult {
  return results.reduce((before, each) => {
    const applied = applyResult(before, each, minute);
    if ('errors' in applied) throw new Error(applied.errors[0]?.detail);
    return applied.task;
  }, task);
}

describe('a task result (docs/inside/specification.md, "Run task result status")', () => {
  test.each(['passed', 'failed'] as const)('running any number of times, then %s', (status) => {
    const running = Array.from({ length: 5 }, () => result('running'));
    expect(afterwards(pending, ...running, result(status)).status).toBe(status);
  });

  test.each(['passed', 'failed'] as const)('%s without running first', (status) => {
    expect(afterwards(pending, result(status)).status).toBe(status);
  });

  test('later outcomes of the same id stand in the place of earlier ones, others are added', () => {
    const { outcomes } = afterwards(pending, result('running', 'a', 'b'), result('passed', 'b', 'c'));
    expect(outcomes.map(({ description }) => description)).toEqual(['running a', 'passed b', 'passed c']);
  });

  test.each(['passed', 'failed', 'errored'] as const)('%s takes no update, whichever: 422', (status) => {
    for (const next of ['running', 'passed', 'failed'] as const) {
      expect(applyResult({ ...pending, status }, result(next), minute)).toEqual({
        errors: [expect.objectContaining({ status: '422', source: { pointer: '/data/attributes/status' } })],
      });
    }
  });

  test.each([
    ['just before ten minutes', 10 * minute - 1, TaskStatus.pending],
    ['at ten minutes', 10 * minute, TaskStatus.errored],
  ])('%s without a final status is %s', (_, now, status) => {
    expect(expire(accepted, now, defaultTiming).status).toBe(status);
  });

  test('its ten minutes begin when it is accepted', () => {
    const late = { ...accepted, acceptedAt: 9 * minute };
    expect(expire(late, 19 * minute - 1, defaultTiming).status).toBe(TaskStatus.pending);
    expect(expire(late, 19 * minute, defaultTiming).status).toBe(TaskStatus.errored);
  });

  test('a callback shows that it was accepted, even if the answer to the request was lost', () => {
    expect(afterwards(pending, result('running')).acceptedAt).toBe(minute);
  });

  test('who never answered with 200 is unreachable, with the last answer as the reason', () => {
    const tried = { ...pending, attempts: 3, trouble: 'answered with 503 instead of 200' };
    expect(expire(tried, 10 * minute - 1, defaultTiming).status).toBe(TaskStatus.pending);
    expect(expire(tried, 10 * minute, defaultTiming)).toMatchObject({
      status: TaskStatus.unreachable,
      message: 'No request was accepted: answered with 503 instead of 200.',
    });
  });

  test('who was never tried is not unreachable, however long the platform was away', () => {
    expect(expire(pending, 100 * minute, defaultTiming)).toBe(pending);
  });

  test('an update that says running does not stop the clock', () => {
    const task = afterwards(accepted, result('running'));
    expect(expire(task, 10 * minute, defaultTiming).status).toBe(TaskStatus.errored);
  });

  test('a final status stays whatever the clock says', () => {
    expect(expire(afterwards(pending, result('passed')), 100 * minute, defaultTiming).status).toBe('passed');
  });

  test('where updates start the clock anew, it ends at sixty minutes all the same', () => {
    const timing = { ...defaultTiming, totalMs: 60 * minute };
    expect(deadline({ ...accepted, updatedAt: 5 * minute }, timing)).toBe(15 * minute);
    expect(deadline({ ...accepted, updatedAt: 55 * minute }, timing)).toBe(60 * minute);
  });
});
