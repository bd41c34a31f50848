import { EnforcementLevel } from '../../core/model/values/enforcement-level.ts';
import { Stage } from '../../core/run-task/stage.ts';
import { hasEnded, TaskStatus } from '../../core/run-task/task-result.ts';
import { type Run, type RunMove, RunStatus, type RunTask } from './run.ts';

/**
 * Where a run goes from a stage: it stays while one of the stage's tasks is open, stops if a mandatory task did not pass,
 * and otherwise continues. Undefined if it stays, and in every status that is not a stage: those end with their work.
 */
export function nextStatus(
  run: Pick<Run, 'status' | 'isSpeculative' | 'hasChanges'>,
  tasks: readonly Pick<RunTask, 'name' | 'stage' | 'status' | 'enforcement'>[],
): RunMove | undefined {
  const stage = Object.values(Stage).find((one) => one === run.status);
  if (stage === undefined) return undefined;
  if (tasks.some((task) => task.stage === stage && !hasEnded(task))) return undefined;
  // The tasks of all stages so far count, not only those of this one.
  const failed = tasks.filter(
    ({ status, enforcement }) => enforcement === EnforcementLevel.mandatory && status !== TaskStatus.passed,
  );
  if (failed.length > 0) {
    const which = failed.map(({ name, status }) => `${name} (${status})`).join(', ');
    const already = stage === Stage.postApply ? 'The plan was applied. ' : '';
    return {
      status: RunStatus.stopped,
      reason: `${already}At ${stage} a mandatory run task did not pass: ${which}.`,
    };
  }
  return { status: after(stage, run) };
}

function after(stage: Stage, { isSpeculative, hasChanges }: Pick<Run, 'isSpeculative' | 'hasChanges'>) {
  switch (stage) {
    case Stage.prePlan:
      return RunStatus.planning;
    case Stage.postPlan:
      return isSpeculative || hasChanges !== true ? RunStatus.plannedAndFinished : RunStatus.preApply;
    case Stage.preApply:
      return RunStatus.applying;
    case Stage.postApply:
      return RunStatus.applied;
  }
}
