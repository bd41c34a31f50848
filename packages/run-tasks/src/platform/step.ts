import {
  applyResult,
  expire,
  hasEnded,
  isEnd,
  type JsonApiError,
  type Result,
  RunStatus,
  surplusOf,
  TaskStatus,
  unprocessable,
} from '@gatehouse/core/run-task';
import { Stage } from '@gatehouse/core/values';
import { type Choice, decide } from './decide.ts';
import { nextStatus, objectionToApply } from './next-status.ts';
import { newTask, type Run, type RunMove, type RunState, type RunTask, type StepContext } from './run.ts';
import type { Planned, RunDescription } from './work.ts';

export type RunEvent =
  /** The run's turn came, and the stack was read. `refusal` says why the run may not begin. */
  | { type: 'started'; description: RunDescription; refusal?: string }
  | { type: 'planned'; planDigest: string; plan: Omit<Planned, 'json' | 'changes' | 'review'> }
  /** Work that was in progress in this status failed. */
  | { type: 'workFailed'; in: RunStatus; reason: string }
  /** @property planDigest of the plan in the store */
  | { type: 'applyStarted'; planDigest: string }
  | { type: 'applied' }
  /** A request was sent. Without trouble it was answered with 200. */
  | { type: 'requestSent'; task: string; trouble?: string }
  /** The task's address may never be called. */
  | { type: 'requestRefused'; task: string; message: string }
  | { type: 'reported'; task: string; result: Result }
  | { type: 'timePassed' }
  | { type: 'decided'; choice: Choice };

export type StepJob = { job: 'plan' | 'apply' } | { job: 'send'; task: RunTask };

/** A run after an event, with what must be done next; stored together, or not at all. */
export interface Stepped extends RunState {
  jobs: StepJob[];
  /** Why a report is refused with 422; nothing has changed then. */
  errors?: JsonApiError[];
}

/**
 * The protocol of a run as a pure function: packages/run-tasks/test/platform/step.both.test.ts explores it.
 *
 * @returns undefined if the event came too late, or twice: it changes nothing
 * @throws GatehouseError if a person's choice is not possible
 */
export function step(state: RunState, event: RunEvent, context: StepContext): Stepped | undefined {
  const { run } = state;
  const moveTo = (next: RunMove) => enter(state, next, context);
  switch (event.type) {
    case 'started': {
      if (run.status !== RunStatus.pending) return undefined;
      const { description, refusal } = event;
      return refusal === undefined
        ? moveTo({ status: RunStatus.prePlan, description })
        : moveTo({ status: RunStatus.stopped, description, reason: refusal });
    }
    case 'planned': {
      if (run.status !== RunStatus.planning) return undefined;
      const { planDigest, plan } = event;
      return moveTo({ status: RunStatus.postPlan, planDigest, ...plan });
    }
    case 'workFailed':
      return run.status === event.in
        ? moveTo({ status: RunStatus.errored, reason: event.reason })
        : undefined;
    case 'applyStarted': {
      if (run.status !== RunStatus.applying) return undefined;
      // The gate was open when the run got here, and final results do not change, but a person may have edited the store.
      const reason = objectionToApply(state, event.planDigest);
      if (reason !== undefined) return moveTo({ status: RunStatus.stopped, reason });
      return { ...state, run: { ...run, applyStartedAt: run.applyStartedAt ?? context.now }, jobs: [] };
    }
    case 'applied':
      return run.status === RunStatus.applying
        ? moveTo({ status: RunStatus.postApply, hasApplied: true })
        : undefined;
    case 'decided': {
      const decided = decide(state, event.choice, context);
      if (decided === undefined) return undefined;
      if (decided.move !== undefined) return enter(decided.state, decided.move, context);
      const jobs: StepJob[] = decided.retried === undefined ? [] : [{ job: 'send', task: decided.retried }];
      return enterIfChanged({ ...decided.state, jobs }, context);
    }
    case 'timePassed':
      return enterIfChanged(
        { ...state, tasks: state.tasks.map((task) => expire(task, context.now, task.timing)) },
        context,
      );
    default:
      return stepOfTask(state, event, context);
  }
}

type TaskEvent = Extract<RunEvent, { type: 'requestSent' | 'requestRefused' | 'reported' }>;

function stepOfTask(state: RunState, event: TaskEvent, context: StepContext): Stepped | undefined {
  const { now } = context;
  const task = state.tasks.find(({ id }) => id === event.task);
  if (task === undefined) return undefined;
  const after = (changed: RunTask) =>
    enterIfChanged(
      { ...state, tasks: state.tasks.map((other) => (other === task ? changed : other)) },
      context,
    );
  switch (event.type) {
    case 'requestSent': {
      const attempts = task.attempts + 1;
      const sent = { ...task, attempts, trouble: event.trouble };
      if (task.acceptedAt !== undefined || hasEnded(task)) return after({ ...task, attempts });
      if (event.trouble === undefined) return after({ ...sent, acceptedAt: now });
      return after(expire(sent, now, task.timing));
    }
    case 'requestRefused':
      if (hasEnded(task)) return undefined;
      return after({ ...task, status: TaskStatus.errored, message: event.message });
    case 'reported': {
      const inTime = expire(task, now, task.timing);
      const applied = applyResult(inTime, event.result, now);
      if ('errors' in applied) return { ...state, jobs: [], errors: applied.errors };
      const surplus = surplusOf(applied.task.outcomes);
      if (surplus === undefined) return after(applied.task);
      return { ...state, jobs: [], errors: [unprocessable(surplus, '/data/relationships/outcomes/data')] };
    }
  }
}

/** The state after its tasks or decisions changed: the run moves on if it no longer waits for anything. */
function enterIfChanged(state: RunState & { jobs?: StepJob[] }, context: StepContext): Stepped {
  const ended = state.tasks.map((task) =>
    hasEnded(task) && task.endedAt === undefined ? { ...task, endedAt: context.now } : task,
  );
  const current = { ...state, tasks: ended };
  const jobs = state.jobs ?? [];
  const next = isEnd(current.run.status) ? undefined : nextStatus(current);
  if (next === undefined) return { ...current, jobs };
  const entered = enter(current, next, context);
  return { ...entered, jobs: [...jobs, ...entered.jobs] };
}

/** Moves a run, and on through all stages without tasks to wait for. */
function enter(state: RunState, move: RunMove, context: StepContext): Stepped {
  const { status } = move;
  const statusTimes = [...state.run.statusTimes, { status, at: context.now }];
  const run: Run = { ...state.run, ...move, statusTimes };
  const entered = { ...state, run };
  if (isEnd(status)) return end(entered, context);
  if (status === RunStatus.planning) return { ...entered, jobs: [{ job: 'plan' }] };
  if (status === RunStatus.applying) return { ...entered, jobs: [{ job: 'apply' }] };
  const stage = Object.values(Stage).find((candidate) => candidate === status);
  if (stage === undefined) return { ...entered, jobs: [] };
  const newTasks = run.description.tasks
    .filter(({ stages }) => stages.includes(stage))
    .map((declared, position) => newTask(run, declared, { stage, position }, context));
  const jobs = newTasks.map((task) => ({ job: 'send' as const, task }));
  return enterIfChanged({ ...entered, tasks: [...state.tasks, ...newTasks], jobs }, context);
}

function end({ run, tasks, decisions }: RunState, { now }: StepContext): Stepped {
  const message = `The run ended: ${run.status}.`;
  return {
    run: { ...run, endedAt: now },
    tasks: tasks.map((task) =>
      hasEnded(task) ? task : { ...task, status: TaskStatus.errored, message, endedAt: now },
    ),
    decisions,
    jobs: [],
  };
}
