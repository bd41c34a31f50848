import { randomUUID } from 'node:crypto';
import { isEnd, type RunStatus } from '../../core/run-task/run.ts';
import { deadline, hasEnded, type TaskStatus } from '../../core/run-task/task-result.ts';
import type { Database, Sql } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import { insert } from '../store/record.ts';
import type { Run, RunState, RunTask } from './run.ts';
import { lockRun, lockStack, nextInLine, readDecisions, type StoredPlan, updateRun } from './run-store.ts';
import { insertTask, readTasks, updateTask } from './run-task-store.ts';
import { type RunEvent, type Stepped, step } from './step.ts';

/** The platform's durable jobs. */
export const jobs = {
  /** `{ run }`: it may be its turn. */
  start: 'platform-start',
  /** `{ run }` */
  plan: 'platform-plan',
  /** `{ run }` */
  apply: 'platform-apply',
  /** `{ task }`: sends its run task request. */
  send: 'platform-send',
} as const;

/** The final status of a run or of a task. */
export type Ended = { run: RunStatus } | { task: TaskStatus };

interface RunFlowArgs {
  database: Database;
  queue: Queue;
  now: () => number;
  /** Called for each end once it is stored. */
  onEnd: (ended: Ended) => void;
}

/** An event, or how to find it in the transaction that has the run locked; undefined changes nothing. */
type EventSource = RunEvent | ((sql: Sql, state: RunState) => Promise<RunEvent | undefined>);

/**
 * Moves runs from status to status. Every step is one transaction, with the run locked, together with the tasks and jobs
 * that it causes: no run has a status without the work that belongs to it.
 */
export class RunFlow {
  readonly #args: RunFlowArgs;

  constructor(args: RunFlowArgs) {
    this.#args = args;
  }

  /**
   * Takes what happened to a run.
   *
   * @param plan stored with the event `planned`
   * @returns undefined if there is no such run, or the event changes nothing
   * @throws GatehouseError if a person's choice is not possible
   */
  async take(
    id: string,
    source: EventSource,
    plan: StoredPlan = {},
  ): Promise<(Stepped & { before: Run }) | undefined> {
    const taken = await this.#args.database.transaction(async (sql) => {
      const run = await lockRun(sql, id);
      if (run === undefined) return undefined;
      const before: RunState = {
        run,
        tasks: await readTasks(sql, id),
        decisions: await readDecisions(sql, id),
      };
      const event = typeof source === 'function' ? await source(sql, before) : source;
      const after = event && step(before, event, { now: this.#args.now(), newId: randomUUID });
      if (after === undefined) return undefined;
      if (after.errors === undefined) await this.#store(sql, before, after, plan);
      return { before, after };
    });
    if (taken === undefined) return undefined;
    const { before, after } = taken;
    for (const task of after.tasks) {
      const wasOpen = before.tasks.some((one) => one.id === task.id && !hasEnded(one));
      if (wasOpen && hasEnded(task)) this.#args.onEnd({ task: task.status });
    }
    if (isEnd(after.run.status) && !isEnd(before.run.status)) this.#args.onEnd({ run: after.run.status });
    return { ...after, before: before.run };
  }

  async #store(sql: Sql, before: RunState, after: Stepped, plan: StoredPlan): Promise<void> {
    const { run } = after;
    const isSame =
      run === before.run &&
      after.decisions === before.decisions &&
      after.tasks.every((task, index) => task === before.tasks[index]);
    if (isSame) return;
    await updateRun(sql, before.run, run, plan);
    // New ones come last, after those that they replace.
    for (const task of after.tasks) {
      const known = before.tasks.find(({ id }) => id === task.id);
      const until = deadline(task, task.timing);
      if (known === undefined) await insertTask(sql, task, until);
      else if (known !== task) await updateTask(sql, known, task, until);
    }
    for (const decision of after.decisions.slice(before.decisions.length)) {
      await insert(sql, 'decisions', { run: run.id, ...decision });
    }
    const isSent = (task: RunTask) =>
      after.tasks.some(({ id, status }) => id === task.id && status === 'pending');
    for (const one of after.jobs) {
      if (one.job !== 'send') await this.#args.queue.send(sql, jobs[one.job], { run: run.id });
      else if (isSent(one.task)) await this.#send(sql, one.task);
    }
    // The next run of the stack gets its turn.
    if (isEnd(run.status) && !isEnd(before.run.status)) {
      await lockStack(sql, run.stack);
      const next = await nextInLine(sql, run.stack);
      if (next !== undefined) await this.#args.queue.send(sql, jobs.start, { run: next });
    }
  }

  async #send(sql: Sql, { id, timing }: RunTask): Promise<void> {
    const retryDelaySeconds = Math.ceil(timing.retryPauseMs / 1000);
    await this.#args.queue.send(sql, jobs.send, { task: id }, { retryDelaySeconds });
  }
}
