import type { Outcome } from '../../core/run-task/outcome.ts';
import type { RunWithTasks } from './platform.ts';
import type { Run, RunTask } from './run.ts';

/** A run as the API shows it. Times are ISO 8601 in UTC, null where they have not come. */
export interface RunView {
  id: string;
  stack: string;
  status: Run['status'];
  message: string;
  isSpeculative: boolean;
  createdBy: string;
  createdAt: string;
  /** Null before there is a plan. */
  hasChanges: boolean | null;
  /** Whether the plan was applied, whatever came after. */
  hasApplied: boolean;
  /** Why it ended as it did, where that is not plain. */
  reason: string | null;
  endedAt: string | null;
  /** Grows with every change. */
  version: number;
}

export interface RunTaskView {
  id: string;
  stage: RunTask['stage'];
  name: string;
  enforcement: RunTask['enforcement'];
  status: RunTask['status'];
  message: string | null;
  url: string | null;
  outcomes: Outcome[];
  requestedAt: string;
  /** When the integrator took the request. */
  acceptedAt: string | null;
  attempts: number;
  /** Why the last request was not accepted. */
  trouble: string | null;
  endedAt: string | null;
}

export function runView(run: Run): RunView {
  const { id, stack, status, message, isSpeculative, createdBy, hasApplied, version } = run;
  return {
    id,
    stack,
    status,
    message,
    isSpeculative,
    createdBy,
    createdAt: new Date(run.createdAt).toISOString(),
    hasChanges: run.hasChanges ?? null,
    hasApplied,
    reason: run.reason ?? null,
    endedAt: instant(run.endedAt),
    version,
  };
}

/** A run with its tasks, in the order they were asked. */
export function runWithTasksView(run: RunWithTasks): RunView & { tasks: RunTaskView[] } {
  return { ...runView(run), tasks: run.tasks.map(runTaskView) };
}

function runTaskView(task: RunTask): RunTaskView {
  const { id, stage, name, enforcement, status, outcomes, attempts } = task;
  return {
    id,
    stage,
    name,
    enforcement,
    status,
    message: task.message ?? null,
    url: task.url ?? null,
    outcomes,
    requestedAt: new Date(task.requestedAt).toISOString(),
    acceptedAt: instant(task.acceptedAt),
    attempts,
    trouble: task.trouble ?? null,
    endedAt: instant(task.endedAt),
  };
}

function instant(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}
