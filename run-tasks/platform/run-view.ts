import type { RunWithTasks } from './platform.ts';
import type { Run, RunTask } from './run.ts';

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
  ...(['hasChanges', 'hasApplied', 'reason', 'endedAt', 'version'] as const),
] as const;
const taskFields = [
  ...(['id', 'stage', 'name', 'enforcement', 'status', 'message', 'url', 'outcomes'] as const),
  ...(['requestedAt', 'acceptedAt', 'attempts', 'trouble', 'endedAt'] as const),
] as const;

export type RunView = Shown<Run, (typeof runFields)[number]>;
export type RunTaskView = Shown<RunTask, (typeof taskFields)[number]>;

export function runView(run: Run): RunView {
  return shown(run, runFields);
}

/** A run with its tasks, in the order in which they were sent. */
export function runWithTasksView(run: RunWithTasks): RunView & { tasks: RunTaskView[] } {
  return { ...runView(run), tasks: run.tasks.map((task) => shown(task, taskFields)) };
}
