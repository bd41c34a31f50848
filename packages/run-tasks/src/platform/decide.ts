import {
  decisionKinds,
  hasEnded,
  isCancelable,
  isEnd,
  isWaiting,
  type RunDecision,
  RunStatus,
  TaskStatus,
} from '@gatehouse/core/run-task';
import { EnforcementLevel, GatehouseError, policyNameText } from '@gatehouse/core/values';
import { type Caller, holds } from './callers.ts';
import { stageOf, tasksToAccept } from './next-status.ts';
import {
  type Decision,
  newTask,
  type RunMove,
  type RunState,
  type RunTask,
  type StepContext,
} from './run.ts';

/** A decision, and the caller who makes it. */
export type Choice = RunDecision & {
  by: Pick<Caller, 'name' | 'entity' | 'policies'>;
  reason?: string;
  planDigest?: string;
};

/** The result of a decision. */
interface Decided {
  /** The state with the decision in it. */
  state: RunState;
  /** Where the decision moves the run, unless the state says it. */
  move?: RunMove;
  /** The task to send because of a retry. */
  retried?: RunTask;
}

/**
 * Applies a person's decision to the state of a run.
 *
 * @returns undefined if it was taken before
 * @throws GatehouseError `run_not_waiting`, `run_not_cancelable`, `plan_differs`, `accepting_refused`, `task_unknown`
 */
export function decide(state: RunState, choice: Choice, context: StepContext): Decided | undefined {
  const { run } = state;
  const { verb, by, planDigest, reason } = choice;
  if (verb === 'cancel' && run.status === RunStatus.canceled) return undefined;
  if (planDigest !== undefined && planDigest !== run.planDigest) {
    throw new GatehouseError('plan_differs', { given: planDigest, allowed: run.planDigest ?? 'none yet' });
  }
  const decision: Decision = {
    kind: decisionKinds[verb],
    by: by.name,
    decidedAt: context.now,
    ...(by.entity !== undefined && { entity: by.entity }),
    ...(reason && { reason }),
    ...(run.planDigest && { planDigest: run.planDigest }),
  };
  const decided = (task?: RunTask): RunState => ({
    ...state,
    decisions: [...state.decisions, task === undefined ? decision : { ...decision, task: task.id }],
  });
  switch (verb) {
    case 'cancel':
      if (!isCancelable(run.status)) {
        const text = isEnd(run.status) ? 'run_not_cancelable.ended' : 'run_not_cancelable';
        throw new GatehouseError(text, { given: `${run.id}, which is ${run.status}` });
      }
      return { state: decided(), move: { status: RunStatus.canceled, reason: `Canceled by ${by.name}.` } };
    case 'discard': {
      if (!isWaiting(run.status)) throw notWaiting(state, 'a decision');
      const why = reason === undefined ? '.' : `: ${reason}`;
      return {
        state: decided(),
        move: { status: RunStatus.discarded, reason: `Discarded by ${by.name}${why}` },
      };
    }
    case 'confirm':
      if (run.status !== RunStatus.waitingForConfirmation) throw notWaiting(state, 'a confirmation');
      return { state: decided() };
    case 'accept': {
      if (run.status !== RunStatus.waitingForAcceptance) throw notWaiting(state, 'an acceptance');
      requireAccepting(state, by);
      const task = taskToDecide(state, choice.task, EnforcementLevel.mandatory);
      // The task may be accepted already, while another one still has to be.
      return tasksToAccept(state).includes(task) ? { state: decided(task) } : undefined;
    }
    case 'retry': {
      const task = taskToDecide(state, choice.task);
      return retry(decided(task), task, context);
    }
  }
}

/** @throws GatehouseError `accepting_refused` if a caller may not accept for the stack of a run */
function requireAccepting({ run }: RunState, by: Choice['by']): void {
  const acceptWith = run.description.decisions?.acceptWith;
  if (acceptWith === undefined) throw new GatehouseError('accepting_refused.undeclared');
  if (!holds(by, acceptWith)) {
    throw new GatehouseError('accepting_refused', { values: { policy: policyNameText(acceptWith) } });
  }
}

/** Replaces a task by a new one like it, and moves the run back to its stage. */
function retry({ run, tasks, decisions }: RunState, task: RunTask, context: StepContext): Decided {
  const { stage, name, requestUrl: url, enforcement, timing, position } = task;
  const retried = newTask(run, { name, url, enforcement, timing }, { stage, position }, context);
  const earlier = tasks.map((other) => (other === task ? { ...task, supersededAt: context.now } : other));
  return { state: { run: { ...run, status: stage }, tasks: [...earlier, retried], decisions }, retried };
}

/** A task of the present stage that ended and did not pass, by its name or id. @throws GatehouseError `task_unknown` */
function taskToDecide(state: RunState, nameOrId: string, enforcement?: EnforcementLevel): RunTask {
  const stage = stageOf(state);
  const task = state.tasks.find(
    (task) =>
      (task.name === nameOrId || task.id === nameOrId) &&
      task.stage === stage &&
      task.supersededAt === undefined &&
      hasEnded(task) &&
      task.status !== TaskStatus.passed &&
      (enforcement === undefined || task.enforcement === enforcement),
  );
  if (task !== undefined) return task;
  throw new GatehouseError('task_unknown', { given: nameOrId.slice(0, 100) });
}

function notWaiting({ run }: RunState, what: string): GatehouseError {
  return new GatehouseError('run_not_waiting', {
    given: `${run.id}, which is ${run.status}`,
    values: { decision: what },
  });
}
