import { Confirm } from '@gatehouse/core/environment';
import { decisionKinds, hasEnded, RunStatus, TaskStatus } from '@gatehouse/core/run-task';
import { EnforcementLevel, Stage } from '@gatehouse/core/values';
import type { Decision, Run, RunMove, RunTask } from './run.ts';

type GatedRun = Pick<
  Run,
  'status' | 'isSpeculative' | 'hasChanges' | 'planDigest' | 'gains' | 'life' | 'gate' | 'description'
>;
type GatedTask = Pick<RunTask, 'id' | 'name' | 'stage' | 'status' | 'enforcement' | 'supersededAt'>;
interface GatedState {
  run: GatedRun;
  tasks: readonly GatedTask[];
  decisions: readonly Pick<Decision, 'kind' | 'task' | 'planDigest'>[];
}

const stages = Object.values(Stage);

/**
 * Where a run goes from a stage: it stays while one of the stage's tasks is open; waits or stops if a mandatory task did
 * not pass; waits if a person is to confirm the plan; and otherwise continues. Undefined if it stays, and in every status
 * that ends with its work.
 */
export function nextStatus(state: GatedState): RunMove | undefined {
  const { run, tasks } = state;
  if (run.status === RunStatus.waitingForConfirmation) {
    return isConfirmed(state) ? { status: RunStatus.preApply } : undefined;
  }
  const stage = stageOf(state);
  if (stage === undefined) return undefined;
  if (tasks.some((task) => task.stage === stage && !hasEnded(task))) return undefined;
  const objections = objectionsOf(state, stage);
  if (objections.length === 0) return { status: statusAfter(stage, state) };
  if (canBeAccepted(run, stage)) {
    return run.status === RunStatus.waitingForAcceptance
      ? undefined
      : { status: RunStatus.waitingForAcceptance };
  }
  const applied = stage === Stage.postApply ? 'The plan was applied. ' : '';
  return {
    status: RunStatus.stopped,
    reason: `${applied}Blocked at ${stage} by ${objections.join(', ')}.`,
  };
}

/** Why a plan must not be applied now; undefined if it may. @param digest of the plan in the store */
export function objectionToApply(state: GatedState, digest: string): string | undefined {
  const { run } = state;
  const objections = objectionsOf(state, Stage.preApply);
  if (objections.length > 0) return `Blocked by ${objections.join(', ')}.`;
  if (digest !== run.planDigest) return 'The plan is another than was planned.';
  if (run.isSpeculative || run.hasChanges !== true) return 'There is nothing to apply.';
  return isConfirmed(state) ? undefined : 'No one confirmed the plan.';
}

/** The stage whose tasks a run waits for, or whose result a person has to accept. */
export function stageOf({ run, tasks }: Pick<GatedState, 'run' | 'tasks'>): Stage | undefined {
  if (run.status !== RunStatus.waitingForAcceptance) return stages.find((stage) => stage === run.status);
  return stages.findLast((stage) => tasks.some((task) => task.stage === stage));
}

/** Whether a person may accept a failure at this stage: only while there is a plan that is not applied yet. */
function canBeAccepted({ description, isSpeculative, hasChanges }: GatedRun, stage: Stage): boolean {
  const isBeforeApply = stage === Stage.postPlan || stage === Stage.preApply;
  return (
    isBeforeApply && description.decisions?.acceptWith !== undefined && !isSpeculative && hasChanges === true
  );
}

/** The tasks whose failure a person has to accept for a run that waits for that. */
export function tasksToAccept<Task extends GatedTask>(
  state: Omit<GatedState, 'tasks'> & { tasks: readonly Task[] },
): Task[] {
  if (state.run.status !== RunStatus.waitingForAcceptance) return [];
  const stage = stageOf(state);
  return objecting(state).filter((task) => task.stage === stage);
}

/** The mandatory tasks that neither passed nor were accepted for this plan. */
function objecting<Task extends GatedTask>({
  run,
  tasks,
  decisions,
}: Omit<GatedState, 'tasks'> & { tasks: readonly Task[] }): Task[] {
  const isAccepted = ({ id }: Task) =>
    run.planDigest !== undefined &&
    decisions.some(
      ({ kind, task, planDigest }) =>
        kind === decisionKinds.accept && task === id && planDigest === run.planDigest,
    );
  return tasks.filter(
    (task) =>
      task.supersededAt === undefined &&
      task.enforcement === EnforcementLevel.mandatory &&
      task.status !== TaskStatus.passed &&
      !isAccepted(task),
  );
}

/** Texts about mandatory tasks that neither passed nor were accepted, or that were never sent by the end of a stage. */
function objectionsOf(state: GatedState, stage: Stage): string[] {
  const { run, tasks } = state;
  const upToNow = stages.slice(0, stages.indexOf(stage) + 1);
  const counting = tasks.filter(({ supersededAt }) => supersededAt === undefined);
  const unasked = run.description.tasks.filter(
    ({ name, enforcement, stages: declaredStages }) =>
      enforcement === EnforcementLevel.mandatory &&
      declaredStages.some(
        (declared) =>
          upToNow.includes(declared) &&
          !counting.some((task) => task.stage === declared && task.name === name),
      ),
  );
  return [
    ...objecting(state).map(({ name, status }) => `${name} (${status})`),
    ...unasked.map(({ name }) => `${name} (never asked)`),
  ];
}

function isConfirmed({ run, decisions }: GatedState): boolean {
  return (
    !needsConfirmation(run) ||
    (run.planDigest !== undefined &&
      decisions.some(
        ({ kind, planDigest }) => kind === decisionKinds.confirm && planDigest === run.planDigest,
      ))
  );
}

function needsConfirmation({ description, gains, life = 'unknown', gate }: GatedRun): boolean {
  switch (description.decisions?.confirm ?? Confirm.never) {
    case Confirm.never:
      return false;
    case Confirm.whenGained:
      // What is not known may be a gain.
      return gains !== 'none' || life === 'longer' || life === 'unknown' || gate !== 'same';
    case Confirm.always:
      return true;
  }
}

/** The status after a stage without objections. */
function statusAfter(stage: Stage, state: GatedState): RunStatus {
  const { isSpeculative, hasChanges } = state.run;
  switch (stage) {
    case Stage.prePlan:
      return RunStatus.planning;
    case Stage.postPlan:
      if (isSpeculative || hasChanges !== true) return RunStatus.plannedAndFinished;
      return isConfirmed(state) ? RunStatus.preApply : RunStatus.waitingForConfirmation;
    case Stage.preApply:
      return RunStatus.applying;
    case Stage.postApply:
      return RunStatus.applied;
  }
}
