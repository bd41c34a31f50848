import {
  type DecisionKind,
  type decisionView,
  defaultTiming,
  type ListedRun,
  type PlannedChanges,
  type RunStatus,
  type Stored,
  type TaskResult,
  TaskStatus,
  type TaskView,
  type Timing,
  type verificationView,
} from '@gatehouse/core/run-task';
import { GatehouseError, type Stage } from '@gatehouse/core/values';
import type { z } from 'zod';
import type { DeclaredRunTask, RunDescription } from './work.ts';

export interface Run extends Stored<ListedRun> {
  status: RunStatus;
  description: RunDescription;
  applyStartedAt?: number;
  /** When it entered each status after `pending`, in milliseconds since 1970, the oldest first. */
  statusTimes: readonly { status: RunStatus; at: number }[];
  /** Whether it may plan files that are not committed. Defaults to no. */
  allowsUncommitted?: boolean;
}

/** Whether the files that a run plans differ from those of the last commit. */
export function hasUncommittedChanges({ commit, configurationVersionId }: RunDescription): boolean {
  return Boolean(commit) && configurationVersionId === '';
}

/** Digest of the files that a run plans, if integrators may download them because they belong to a commit. */
export function plannedFiles(description: RunDescription): string | undefined {
  return description.commit && !hasUncommittedChanges(description) ? description.filesDigest : undefined;
}

/** Names of files that are not committed, for people. */
export function uncommittedFiles({ uncommitted = [] }: Pick<RunDescription, 'uncommitted'>): string {
  const [first, second, ...rest] = uncommitted;
  if (first === undefined) return 'which ones is not known';
  const named = second === undefined ? first : `${first}, ${second}`;
  return rest.length === 0 ? named : `${named} and ${rest.length} more`;
}

/** @throws GatehouseError `files_uncommitted` */
export function requireCommitted({
  description,
  allowsUncommitted,
}: Pick<Run, 'description' | 'allowsUncommitted'>): void {
  if (allowsUncommitted === true || !hasUncommittedChanges(description)) return;
  throw new GatehouseError('files_uncommitted', { values: { files: uncommittedFiles(description) } });
}

/** A status to move a run to, and what changes with it. */
export interface RunMove
  extends Partial<
    Pick<
      Run,
      | 'description'
      | 'hasChanges'
      | 'planDigest'
      | 'gains'
      | 'life'
      | 'gate'
      | 'gained'
      | 'hasApplied'
      | 'reason'
    >
  > {
  status: RunStatus;
}

export interface RunTask
  extends TaskResult,
    Stored<Pick<TaskView, 'id' | 'stage' | 'name' | 'enforcement' | 'endedAt' | 'supersededAt'>> {
  run: string;
  /** Its place among the tasks of its stage. */
  position: number;
  /** Where the request goes; `url` is the integrator's page about the result. */
  requestUrl: string;
  timing: Timing;
}

export interface Decision extends Stored<z.output<typeof decisionView>> {
  kind: DecisionKind;
}

/** A run, its tasks and decisions: together they decide where the run goes. */
export interface RunState {
  run: Run;
  /** Oldest request first. */
  tasks: readonly RunTask[];
  /** Oldest first. */
  decisions: readonly Decision[];
}

export type Verification = Stored<z.output<typeof verificationView>>;

/** A run with its tasks, what was decided about it, and whether the addresses of its stack's run tasks answer. */
export interface RunWithTasks extends Run {
  changes?: PlannedChanges;
  /** Lines about the progress of its apply. */
  applyLog: string[];
  tasks: RunTask[];
  decisions: Decision[];
  verifications: Verification[];
  /** The run of the stack that it waits behind, before its turn. */
  ahead?: Pick<Run, 'id' | 'status'>;
}

export interface StepContext {
  now: number;
  newId: () => string;
}

/** A task to send now. It needs a new id, because an integrator does no work for an id that it knows. */
export function newTask(
  run: Pick<Run, 'id'>,
  { name, url, enforcement, timing = defaultTiming }: Omit<DeclaredRunTask, 'stages'>,
  { stage, position }: { stage: Stage; position: number },
  { now, newId }: StepContext,
): RunTask {
  return {
    id: newId(),
    run: run.id,
    stage,
    position,
    name,
    requestUrl: url,
    enforcement,
    timing,
    status: TaskStatus.pending,
    outcomes: [],
    requestedAt: now,
    attempts: 0,
  };
}
