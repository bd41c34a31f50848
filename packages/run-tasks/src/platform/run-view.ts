import {
  deadline,
  decisionView,
  hasEnded,
  type ListedRun,
  listedReview,
  listedRun,
  type RunView,
  runView,
  type Stored,
  taskView,
  verificationView,
} from '@gatehouse/core/run-task';
import type { z } from 'zod';
import { tasksToAccept } from './next-status.ts';
import { hasUncommittedChanges, type Run, type RunWithTasks } from './run.ts';

/** The view of a record in the API: times are ISO 8601 in UTC, and undefined is null. */
function viewOf<Schema extends z.ZodObject, Of extends object>(
  schema: Schema,
  record: keyof z.output<Schema> extends keyof Of ? Of : never,
): z.output<Schema> {
  const fields = Object.keys(schema.shape).map((name) => {
    const value = record[name as keyof Of] ?? null;
    return [name, typeof value === 'number' && name.endsWith('At') ? new Date(value).toISOString() : value];
  });
  return Object.fromEntries(fields);
}

export function listedReviewOf(review: Stored<z.output<typeof listedReview>>) {
  return viewOf(listedReview, {
    run: undefined,
    takenAt: undefined,
    takenBy: undefined,
    appliedAt: undefined,
    ...review,
  });
}

export function listedRunOf(run: Run): ListedRun {
  return viewOf(listedRun, { lost: undefined, summary: undefined, ...run, ...fromDescription(run) });
}

function fromDescription({ description }: Run) {
  const { namespace, commitMessage } = description;
  return { namespace, commitMessage: hasUncommittedChanges(description) ? undefined : commitMessage };
}

export function runViewOf(run: RunWithTasks): RunView {
  const { description, tasks, decisions } = run;
  return viewOf(runView, {
    changes: undefined,
    lost: undefined,
    summary: undefined,
    ahead: undefined,
    ...run,
    ...fromDescription(run),
    tasks: tasks.map((task) =>
      viewOf(taskView, { ...task, deadlineAt: hasEnded(task) ? undefined : deadline(task, task.timing) }),
    ),
    decisions: decisions.map((decision) => viewOf(decisionView, decision)),
    statusTimes: run.statusTimes.map(({ status, at }) => ({ status, at: new Date(at).toISOString() })),
    verifications: run.verifications.map((verification) => viewOf(verificationView, verification)),
    toAccept: tasksToAccept({ run, tasks, decisions }).map(({ id }) => id),
    declaredTasks: description.tasks.map(({ name }) => name),
    hasUncommittedChanges: hasUncommittedChanges(description),
    commit: description.commit,
    commitUrl: description.vcsCommitUrl,
    acceptWith: description.decisions?.acceptWith,
  });
}
