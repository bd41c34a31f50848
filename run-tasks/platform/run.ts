import type { EnforcementLevel } from '../../core/model/values/enforcement-level.ts';
import type { Stage } from '../../core/run-task/stage.ts';
import type { TaskResult } from '../../core/run-task/task-result.ts';
import type { Planned, RunDescription } from './work.ts';

/** The status of a run. In the four stages it waits for its run tasks. */
export const RunStatus = {
  /** Waiting for its turn: the runs of a stack take turns. */
  pending: 'pending',
  prePlan: 'pre_plan',
  planning: 'planning',
  postPlan: 'post_plan',
  preApply: 'pre_apply',
  applying: 'applying',
  postApply: 'post_apply',
  /** There was nothing to apply, or the run only plans. */
  plannedAndFinished: 'planned_and_finished',
  applied: 'applied',
  /** A mandatory run task did not pass. */
  stopped: 'stopped',
  errored: 'errored',
  canceled: 'canceled',
} as const;
export type RunStatus = (typeof RunStatus)[keyof typeof RunStatus];

const ends: readonly RunStatus[] = [
  RunStatus.plannedAndFinished,
  RunStatus.applied,
  RunStatus.stopped,
  RunStatus.errored,
  RunStatus.canceled,
];

export function isEnd(status: RunStatus): boolean {
  return ends.includes(status);
}

/** Until it starts to apply. */
export function isCancelable(status: RunStatus): boolean {
  return !isEnd(status) && status !== RunStatus.applying && status !== RunStatus.postApply;
}

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
  /** Of the plan; undefined before there is one. */
  hasChanges?: boolean;
  applyBegunAt?: number;
  /** Whether the plan was applied, whatever happened afterwards. */
  hasApplied: boolean;
  /** Why it ended as it did, if that is not obvious. */
  reason?: string;
  endedAt?: number;
  /** Grows with every change of the run or one of its tasks. */
  version: number;
}

/** A status to move a run to, and what changes with it. */
export interface RunMove extends Partial<Pick<Run, 'description' | 'hasApplied' | 'reason'>> {
  status: RunStatus;
  plan?: Planned;
}

/** One run task at one stage of one run, and its result. */
export interface RunTask extends TaskResult {
  id: string;
  run: string;
  stage: Stage;
  name: string;
  /** Where the request goes; `url` is the integrator's page about the result. */
  requestUrl: string;
  enforcement: EnforcementLevel;
  /** When a request was answered with 200. */
  acceptedAt?: number;
  /** Requests sent so far. */
  attempts: number;
  /** Why the last request was not accepted. */
  trouble?: string;
  endedAt?: number;
}
