import { type JsonApiError, unprocessable } from './json-api-error.ts';
import { limits } from './limits.ts';
import type { Outcome } from './outcome.ts';
import { isFinal, type Result, ResultStatus } from './result.ts';

/**
 * The status of one task of one run on a platform (interface.md, "Run task result status"). `pending` is before the first
 * callback; the specification does not name it.
 */
export const TaskStatus = { pending: 'pending', ...ResultStatus, errored: 'errored' } as const;
export type TaskStatus = (typeof TaskStatus)[keyof typeof TaskStatus];

export interface TaskResult {
  status: TaskStatus;
  message?: string;
  url?: string;
  outcomes: Outcome[];
  /** Milliseconds since 1970; when the request was sent, which starts the clock. */
  requestedAt: number;
  /** When the last `running` update came. */
  updatedAt?: number;
}

export interface Timing {
  /** Milliseconds to a final status. Defaults to the ten minutes of interface.md. */
  finalStatusMs: number;
  /** Whether each `running` update restarts that time, as one real platform does. Defaults to false. */
  runningResets: boolean;
  /** Milliseconds in total, however many updates come. Defaults to 60 minutes; only for `runningResets`. */
  totalMs: number;
}

export const defaultTiming: Timing = {
  finalStatusMs: limits.finalStatusMs,
  runningResets: false,
  totalMs: 60 * 60 * 1000,
};

export function hasEnded({ status }: Pick<TaskResult, 'status'>): boolean {
  return status !== TaskStatus.pending && status !== TaskStatus.running;
}

/** Milliseconds since 1970 at which a task without a final status is errored. */
export function deadline({ requestedAt, updatedAt }: TaskResult, timing: Timing): number {
  if (!timing.runningResets) return requestedAt + timing.finalStatusMs;
  return Math.min((updatedAt ?? requestedAt) + timing.finalStatusMs, requestedAt + timing.totalMs);
}

/** A task after an integrator's callback, or why the callback is refused with 422. */
export function applyResult(
  task: TaskResult,
  result: Result,
  now: number,
): { task: TaskResult } | { errors: JsonApiError[] } {
  if (hasEnded(task)) {
    return {
      errors: [unprocessable(`status is already ${task.status}, which is final`, '/data/attributes/status')],
    };
  }
  const { outcomes, ...said } = result;
  return {
    task: {
      ...task,
      ...said,
      outcomes: mergeOutcomes(task.outcomes, outcomes),
      ...(isFinal(result.status) ? {} : { updatedAt: now }),
    },
  };
}

/** A task once its time is over. */
export function expire(task: TaskResult, now: number, timing: Timing): TaskResult {
  if (hasEnded(task) || now < deadline(task, timing)) return task;
  return { ...task, status: TaskStatus.errored, message: 'No final status arrived in time.' };
}

/** Later outcomes replace all earlier ones with the same id; others are added. Within one callback an id may repeat. */
function mergeOutcomes(before: Outcome[], after: Outcome[]): Outcome[] {
  const byId = Map.groupBy(before, ({ outcomeId }) => outcomeId);
  for (const [id, given] of Map.groupBy(after, ({ outcomeId }) => outcomeId)) byId.set(id, given);
  return [...byId.values()].flat();
}
