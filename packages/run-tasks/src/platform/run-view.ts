import { setTimeout as sleep } from 'node:timers/promises';
import {
  deadline,
  decisionView,
  hasEnded,
  isEnd,
  type ListedRun,
  listedRun,
  type RunView,
  runView,
  taskView,
  verificationView,
} from '@gatehouse/core/run-task';
import type { z } from 'zod';
import { tasksToAccept } from './next-status.ts';
import type { Platform } from './platform.ts';
import { hasUncommittedChanges, type Run, type RunWithTasks } from './run.ts';

/** A record as the API shows it: times are ISO 8601 in UTC, and undefined is null. */
function shown<Schema extends z.ZodObject, Of extends object>(
  schema: Schema,
  record: keyof z.output<Schema> extends keyof Of ? Of : never,
): z.output<Schema> {
  const shownFields = Object.keys(schema.shape).map((name) => {
    const value = record[name as keyof Of] ?? null;
    return [name, typeof value === 'number' && name.endsWith('At') ? new Date(value).toISOString() : value];
  });
  return Object.fromEntries(shownFields);
}

export function listedRunOf(run: Run): ListedRun {
  return shown(listedRun, { lost: undefined, summary: undefined, ...run, ...fromDescription(run) });
}

function fromDescription({ description }: Run) {
  const { namespace, commitMessage } = description;
  return { namespace, commitMessage: hasUncommittedChanges(description) ? undefined : commitMessage };
}

export function runViewOf(run: RunWithTasks): RunView {
  const { description, tasks, decisions } = run;
  return shown(runView, {
    changes: undefined,
    lost: undefined,
    summary: undefined,
    ahead: undefined,
    ...run,
    ...fromDescription(run),
    tasks: tasks.map((task) =>
      shown(taskView, { ...task, deadlineAt: hasEnded(task) ? undefined : deadline(task, task.timing) }),
    ),
    decisions: decisions.map((decision) => shown(decisionView, decision)),
    verifications: run.verifications.map((verification) => shown(verificationView, verification)),
    toAccept: tasksToAccept({ run, tasks, decisions }).map(({ id }) => id),
    declaredTasks: description.tasks.map(({ name }) => name),
    hasUncommittedChanges: hasUncommittedChanges(description),
    commit: description.commit,
    commitUrl: description.vcsCommitUrl,
    acceptWith: description.decisions?.acceptWith,
  });
}

/** Milliseconds between looks at the run, which another process may change. */
const lookEveryMs = 250;
/** Milliseconds of silence before a comment that keeps the connection alive. */
const aliveEveryMs = 15_000;

/**
 * A run as server-sent events: the whole run at once, and again after every change until it has ended. A client that
 * reconnects needs no memory. The stream ends early if the platform stops.
 */
export async function* runEvents(
  platform: Pick<Platform, 'readRun' | 'readProgress' | 'isStopping'>,
  id: string,
): AsyncGenerator<string> {
  let seen = '';
  for (let quietMs = 0; !platform.isStopping; quietMs += lookEveryMs) {
    const progress = JSON.stringify(await platform.readProgress(id));
    if (progress !== seen) {
      seen = progress;
      quietMs = 0;
      const run = await platform.readRun(id);
      yield `event: run\nid: ${run.version}\ndata: ${JSON.stringify(runViewOf(run))}\n\n`;
      if (isEnd(run.status)) return;
    } else if (quietMs >= aliveEveryMs) {
      quietMs = 0;
      yield ': alive\n\n';
    }
    await sleep(lookEveryMs);
  }
}
