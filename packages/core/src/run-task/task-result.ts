import { type JsonApiError, unprocessable } from './json-api-error.ts';
import { limits } from './limits.ts';
import type { Outcome } from './outcome.ts';
import { isFinal, type Result, ResultStatus } from './result.ts';

/**
 * The status of one task of one run on a platform (docs/inside/specification.md, "Run task result status"). `pending`
 * is before the first callback; the specification does not name it. `unreachable` is the platform's own: no request was
 * answered with 200.
 */
export const TaskStatus = {
  pending: 'pending',
  ...ResultStatus,
  errored: 'errored',
  unreachable: 'unreachable',
} as const;
export type TaskStatus = (typeof TaskStatus)[keyof typeof TaskStatus];

/** What a platform knows of the task of a run. */
export interface TaskResult {
  status: TaskStatus;
  message?: string;
  url?: string;
  outcomes: Outcome[];
  /** Milliseconds since 1970, like every time here: when the platform began to send the request. */
  requestedAt: number;
  /** When the request was answered with 200, or its first callback came: this starts the clock. */
  acceptedAt?: number;
  /** Requests sent so far. */
  attempts: number;
  /** Why the last request was not accepted. */
  trouble?: string;
  /** When the last `running` update came. */
  updatedAt?: number;
}

/** How long a platform waits for one task. */
export interface Timing {
  /**
   * Milliseconds from the acceptance to a final status. Defaults to the ten minutes of docs/inside/specification.md.
   */
  finalStatusMs: number;
  /**
   * Milliseconds in total, if each `running` update restarts `finalStatusMs`, as one real platform does. Defaults to
   * none: updates restart nothing.
   */
  totalMs?: number;
  /** Milliseconds to retry the request until it is accepted. Defaults to ten minutes. */
  retryForMs: number;
  /** Milliseconds before the second request; doubled for each further one, up to a minute. Defaults to 1000. */
  retryPauseMs: number;
}

/** How long a platform waits, and how often it asks again. */
export const defaultTiming: Timing = {
  finalStatusMs: limits.finalStatusMs,
  retryForMs: 10 * 60 * 1000,
  retryPauseMs: 1000,
};

/** Whether no more results of a task are taken. */
export function hasEnded({ status }: Pick<TaskResult, 'status'>): boolean {
  return status !== TaskStatus.pending && status !== TaskStatus.running;
}

/** Milliseconds since 1970 at which a task is over: unreachable if it was not accepted, else errored. */
export function deadline(
  { requestedAt, acceptedAt, updatedAt }: Pick<TaskResult, 'requestedAt' | 'acceptedAt' | 'updatedAt'>,
  { finalStatusMs, totalMs, retryForMs }: Timing,
): number {
  if (acceptedAt === undefined) return requestedAt + retryForMs;
  if (totalMs === undefined) return acceptedAt + finalStatusMs;
  return Math.min((updatedAt ?? acceptedAt) + finalStatusMs, acceptedAt + totalMs);
}

/** A task after an integrator's callback, or why the callback is refused with 422. */
export function applyResult<Task extends TaskResult>(
  task: Task,
  result: Result,
  now: number,
): { task: Task } | { errors: JsonApiError[] } {
  if (hasEnded(task)) {
    return {
      errors: [unprocessable(`status is already ${task.status}, which is final`, '/data/attributes/status')],
    };
  }
  const { outcomes, ...withoutOutcomes } = result;
  return {
    task: {
      ...task,
      ...withoutOutcomes,
      // A caller has the request, even if the 200 was lost.
      acceptedAt: task.acceptedAt ?? now,
      outcomes: mergeOutcomes(task.outcomes, outcomes),
      ...(isFinal(result.status) ? {} : { updatedAt: now }),
    },
  };
}

/** A task once its time is over. At least one request is sent, even if the platform was away all the time. */
export function expire<Task extends TaskResult>(task: Task, now: number, timing: Timing): Task {
  if (hasEnded(task) || now < deadline(task, timing)) return task;
  if (task.acceptedAt !== undefined) {
    return { ...task, status: TaskStatus.errored, message: 'No final status arrived in time.' };
  }
  if (task.attempts === 0) return task;
  return { ...task, status: TaskStatus.unreachable, message: `No request was accepted: ${task.trouble}.` };
}

/** Later outcomes replace all earlier ones with the same id; others are added. Within one callback an id may repeat. */
function mergeOutcomes(before: Outcome[], after: Outcome[]): Outcome[] {
  const byId = Map.groupBy(before, ({ outcomeId }) => outcomeId);
  for (const [id, outcomes] of Map.groupBy(after, ({ outcomeId }) => outcomeId)) byId.set(id, outcomes);
  return [...byId.values()].flat();
}
