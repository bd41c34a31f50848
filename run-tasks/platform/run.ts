import type { z } from 'zod';
import type {
  DecisionKind,
  decisionView,
  ListedRun,
  RunStatus,
  Stored,
  TaskView,
} from '../../core/run-task/run.ts';
import type { TaskResult, Timing } from '../../core/run-task/task-result.ts';
import type { RunDescription } from './work.ts';

export interface Run extends Stored<ListedRun> {
  status: RunStatus;
  description: RunDescription;
  applyBegunAt?: number;
}

/** Whether the files that a run plans differ from those of the last commit. */
export function hasUncommittedChanges({ commit, configurationVersionId }: RunDescription): boolean {
  return Boolean(commit) && configurationVersionId === '';
}

/** A status to move a run to, and what changes with it. */
export interface RunMove
  extends Partial<
    Pick<Run, 'description' | 'hasChanges' | 'planDigest' | 'gains' | 'gained' | 'hasApplied' | 'reason'>
  > {
  status: RunStatus;
}

/** One run task at one stage of one run, and its result. */
export interface RunTask
  extends TaskResult,
    Stored<Pick<TaskView, 'id' | 'stage' | 'name' | 'enforcement' | 'endedAt' | 'supersededAt'>> {
  run: string;
  /** Its place among those of its stage. */
  position: number;
  /** Where the request goes; `url` is the integrator's page about the result. */
  requestUrl: string;
  timing: Timing;
}

export interface Decision extends Stored<z.output<typeof decisionView>> {
  kind: DecisionKind;
}

/** All that decides where a run goes. */
export interface RunState {
  run: Run;
  /** In the order in which they were asked. */
  tasks: readonly RunTask[];
  /** Oldest first. */
  decisions: readonly Decision[];
}
