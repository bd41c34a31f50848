import type { Stage } from '../../core/model/values/stage.ts';
import { defaultTiming, TaskStatus } from '../../core/run-task/task-result.ts';
import type { Run, RunTask } from './run.ts';
import type { DeclaredRunTask } from './work.ts';

/** What a step takes from the world. */
export interface StepContext {
  /** Milliseconds since 1970. */
  now: number;
  newId: () => string;
}

/** A task that is asked now. Its id has never been used: an integrator does nothing new for one that it knows. */
export function newTask(
  run: Pick<Run, 'id'>,
  { name, url, enforcement, timing = defaultTiming }: Omit<DeclaredRunTask, 'stages'>,
  { stage, position }: { stage: Stage; position: number },
  { now, newId }: StepContext,
): RunTask {
  return {
    ...{ id: newId(), run: run.id, stage, position, name, requestUrl: url, enforcement, timing },
    ...{ status: TaskStatus.pending, outcomes: [], requestedAt: now, attempts: 0 },
  };
}
