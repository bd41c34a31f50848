import type { EnforcementLevel } from '../../core/model/values/enforcement-level.ts';
import type { DecisionKind, ListedRun, RunStatus } from '../../core/run-task/run.ts';
import type { Stage } from '../../core/run-task/stage.ts';
import type { TaskResult, Timing } from '../../core/run-task/task-result.ts';
import type { RunDescription } from './work.ts';

export interface Run {
  id: string;
  stack: string;
  status: RunStatus;
  message: string;
  /** Plan only. */
  isSpeculative: boolean;
  createdBy: string;
  /** Milliseconds since 1970, like every time here. */
  createdAt: number;
  description: RunDescription;
  /** Of the plan, like the next three; undefined before there is one. */
  hasChanges?: boolean;
  /** SHA-256 of its canonical JSON. A decision holds for this plan only. */
  planDigest?: string;
  /** Whether somebody gains access by it. Undefined in runs of earlier versions. */
  gains?: NonNullable<ListedRun['gains']>;
  /** Who gains what, or what is missing to judge it, in words. */
  gained?: string[];
  applyBegunAt?: number;
  /** Whether the plan was applied, whatever happened afterwards. */
  hasApplied: boolean;
  /** Why it ended as it did, if that is not obvious. */
  reason?: string;
  endedAt?: number;
  /** Grows with every change of the run or one of its tasks. */
  version: number;
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
export interface RunTask extends TaskResult {
  id: string;
  run: string;
  stage: Stage;
  /** Its place among those of its stage. */
  position: number;
  name: string;
  /** Where the request goes; `url` is the integrator's page about the result. */
  requestUrl: string;
  enforcement: EnforcementLevel;
  timing: Timing;
  endedAt?: number;
  /** When it was asked again, as another task: its own result no longer counts. */
  supersededAt?: number;
}

export interface Decision {
  kind: DecisionKind;
  /** Id of the task, of those that concern one. */
  task?: string;
  by: string;
  decidedAt: number;
  reason?: string;
  /** Of the plan that it is about, and of no other; undefined before there is one. */
  planDigest?: string;
}

/** All that decides where a run goes. */
export interface RunState {
  run: Run;
  /** In the order in which they were asked. */
  tasks: readonly RunTask[];
  /** Oldest first. */
  decisions: readonly Decision[];
}
