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

/** Who decides, and what. */
export type Choice = RunDecision & {
  by: Pick<Caller, 'name' | 'entity' | 'policies'>;
  reason?: string;
  planDigest?: string;
};

/** A state with a decision in it, and where that moves the run, if the state alone does not say. */
interface Decided {
  state: RunState;
  move?: RunMove;
  asked?: RunTask;
}

/**
 * Takes a person's decision.
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
      const acceptWith = run.description.decisions?.acceptWith;
      if (acceptWith === undefined) throw new GatehouseError('accepting_refused.undeclared');
      if (!holds(by, acceptWith)) {
        throw new GatehouseError('accepting_refused', { values: { policy: policyNameText(acceptWith) } });
      }
      const task = taskToDecide(state, choice.task, EnforcementLevel.mandatory);
      // Accepted before, while another one still has to be.
      return tasksToAccept(state).includes(task) ? { state: decided(task) } : undefined;
    }
    case 'retry': {
      const before = taskToDecide(state, choice.task);
      const { stage, name, requestUrl: url, enforcement, timing, position } = before;
      const asked = newTask(run, { name, url, enforcement, timing }, { stage, position }, context);
      const { decisions } = decided(before);
      const tasks = state.tasks.map((one) => (one === before ? { ...one, supersededAt: context.now } : one));
      return { state: { run: { ...run, status: stage }, tasks: [...tasks, asked], decisions }, asked };
    }
  }
}

/** A task of the stage at hand that ended and did not pass. */
function taskToDecide(state: RunState, given: string, enforcement?: EnforcementLevel): RunTask {
  const stage = stageOf(state);
  const found = state.tasks.find(
    (task) =>
      (task.name === given || task.id === given) &&
      task.stage === stage &&
      task.supersededAt === undefined &&
      hasEnded(task) &&
      task.status !== TaskStatus.passed &&
      (enforcement === undefined || task.enforcement === enforcement),
  );
  if (found !== undefined) return found;
  throw new GatehouseError('task_unknown', { given: given.slice(0, 100) });
}

function notWaiting({ run }: RunState, what: string): GatehouseError {
  return new GatehouseError('run_not_waiting', {
    given: `${run.id}, which is ${run.status}`,
    values: { decision: what },
  });
}
