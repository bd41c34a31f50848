import { deadline, hasEnded } from '../../core/run-task/task-result.ts';
import { tasksToAccept } from './next-status.ts';
import type { RunWithTasks } from './platform.ts';
import { type Decision, hasUncommittedChanges, type Run, type RunStatus, type RunTask } from './run.ts';
import type { Verification } from './verify-tasks.ts';
import type { PlannedChanges } from './work.ts';

/** A record as the API shows it: times are ISO 8601 in UTC, and undefined is null. */
type Shown<Of, Names extends keyof Of> = {
  [Name in Names]-?:
    | (Name extends `${string}At` ? string : Exclude<Of[Name], undefined>)
    | (undefined extends Of[Name] ? null : never);
};

function shown<Of extends object, Name extends keyof Of>(record: Of, names: readonly Name[]) {
  return Object.fromEntries(
    names.map((name) => {
      const value = record[name] ?? null;
      const isTime = String(name).endsWith('At') && value !== null;
      return [name, isTime ? new Date(value as number).toISOString() : value];
    }),
  ) as Shown<Of, Name>;
}

const runFields = [
  ...(['id', 'stack', 'status', 'message', 'isSpeculative', 'createdBy', 'createdAt'] as const),
  ...(['hasChanges', 'planDigest', 'gains', 'gained', 'hasApplied', 'reason', 'endedAt', 'version'] as const),
] as const;
const taskFields = [
  ...(['id', 'stage', 'name', 'enforcement', 'status', 'message', 'url', 'outcomes'] as const),
  ...(['requestedAt', 'acceptedAt', 'attempts', 'trouble', 'endedAt', 'supersededAt'] as const),
] as const;
const decisionFields = ['kind', 'task', 'by', 'decidedAt', 'reason', 'planDigest'] as const;
const verificationFields = ['name', 'verifiedAt', 'trouble'] as const;

export type RunView = Shown<Run, (typeof runFields)[number]>;
/** With the time at which it is over, while it is open. */
export type RunTaskView = Shown<
  RunTask & { deadlineAt?: number },
  (typeof taskFields)[number] | 'deadlineAt'
>;

interface RunDetails {
  /** What the plan changes; null before there is one. */
  changes: PlannedChanges | null;
  /** What the apply has done so far, in lines. */
  applyLog: string[];
  /** In the order in which they were asked. */
  tasks: RunTaskView[];
  decisions: Shown<Decision, (typeof decisionFields)[number]>[];
  verifications: Shown<Verification, (typeof verificationFields)[number]>[];
  /** Ids of the tasks whose failure somebody has to accept for the run to go on. */
  toAccept: string[];
  /** Names of the run tasks that the stack declares. */
  declaredTasks: string[];
  /** The run of the stack that this one waits behind; null once its turn came. */
  ahead: { id: string; status: RunStatus } | null;
  /** Whether the stack's files differ from those of the commit. */
  hasUncommittedChanges: boolean;
  /** Commit of the stack's files, and its page; null where git knows none. */
  commit: string | null;
  commitUrl: string | null;
  /** Policy of those who may accept a mandatory task that did not pass. */
  acceptWith: string | null;
}

export function runView(run: Run): RunView {
  return shown(run, runFields);
}

export function runWithTasksView(run: RunWithTasks): RunView & RunDetails {
  const { description, tasks, decisions } = run;
  return {
    ...runView(run),
    changes: run.changes ?? null,
    applyLog: run.applyLog,
    tasks: tasks.map((task) => {
      const deadlineAt = hasEnded(task) ? undefined : deadline(task, task.timing);
      return shown({ ...task, deadlineAt }, [...taskFields, 'deadlineAt']);
    }),
    decisions: decisions.map((decision) => shown(decision, decisionFields)),
    verifications: run.verifications.map((verification) => shown(verification, verificationFields)),
    toAccept: tasksToAccept({ run, tasks, decisions }).map(({ id }) => id),
    declaredTasks: description.tasks.map(({ name }) => name),
    ahead: run.ahead ?? null,
    hasUncommittedChanges: hasUncommittedChanges(description),
    commit: description.commit ?? null,
    commitUrl: description.vcsCommitUrl,
    acceptWith: description.decisions?.acceptWith ?? null,
  };
}
