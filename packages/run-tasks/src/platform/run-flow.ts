import { randomUUID } from 'node:crypto';
import { deadline, hasEnded, isEnd } from '@gatehouse/core/run-task';
import type { Sql } from '../store/database.ts';
import { insert } from '../store/record.ts';
import { followRun, keepReview } from './reviews.ts';
import type { Run, RunState, RunTask } from './run.ts';
import {
  lockRun,
  lockStack,
  nextInLine,
  readDecisions,
  readTasks,
  type StoredPlan,
  updateRun,
  updateTask,
} from './run-store.ts';
import { type RunEvent, type Stepped, step } from './step.ts';
import type { PlatformParts } from './work.ts';

/** The platform's durable jobs, each with `{ run }` unless it says otherwise. */
export const jobs = {
  /** Starts the run if it is its turn. */
  start: 'platform-start',
  plan: 'platform-plan',
  apply: 'platform-apply',
  /** `{ task }`: sends its run task request. */
  send: 'platform-send',
} as const;

/** An event, or a function that finds it while the run is locked; undefined changes nothing. */
type EventSource = RunEvent | ((sql: Sql, state: RunState) => Promise<RunEvent | undefined>);

/**
 * Moves runs from status to status. Every step is one transaction, with the run locked, together with the tasks and jobs
 * that it causes: no run has a status without the work that belongs to it.
 */
export class RunFlow {
  readonly #parts: Pick<PlatformParts, 'database' | 'queue' | 'now' | 'onEnd' | 'work'>;

  constructor(parts: Pick<PlatformParts, 'database' | 'queue' | 'now' | 'onEnd' | 'work'>) {
    this.#parts = parts;
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
    const taken = await this.#parts.database.transaction(async (sql) => {
      const run = await lockRun(sql, id);
      if (run === undefined) return undefined;
      const before: RunState = {
        run,
        tasks: await readTasks(sql, id),
        decisions: await readDecisions(sql, id),
      };
      const event = typeof source === 'function' ? await source(sql, before) : source;
      const after = event && step(before, event, { now: this.#parts.now(), newId: randomUUID });
      if (after === undefined) return undefined;
      if (after.errors === undefined) await this.#store(sql, before, after, plan);
      return { before, after };
    });
    if (taken === undefined) return undefined;
    const { before, after } = taken;
    for (const task of after.tasks) {
      const wasOpen = before.tasks.some((earlier) => earlier.id === task.id && !hasEnded(earlier));
      if (wasOpen && hasEnded(task)) this.#parts.onEnd({ task: task.status });
    }
    if (isEnd(after.run.status) && !isEnd(before.run.status)) this.#parts.onEnd({ run: after.run.status });
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
    // New tasks come last, after the tasks that they replace.
    for (const task of after.tasks) {
      const taskBefore = before.tasks.find(({ id }) => id === task.id);
      const until = deadline(task, task.timing);
      if (taskBefore === undefined) await insert(sql, 'task_results', { ...task, deadline: until });
      else if (taskBefore !== task) await updateTask(sql, taskBefore, task, until);
    }
    const decisions = after.decisions.slice(before.decisions.length);
    for (const decision of decisions) await insert(sql, 'decisions', { run: run.id, ...decision });
    if (plan.review) await keepReview(sql, { stack: run.stack, run: run.id, ...plan.review });
    const { work, now } = this.#parts;
    await followRun(sql, before.run, run, { decisions, work, now: now() });
    const isPending = (task: RunTask) =>
      after.tasks.some(({ id, status }) => id === task.id && status === 'pending');
    for (const next of after.jobs) {
      if (next.job !== 'send') await this.#parts.queue.send(sql, jobs[next.job], { run: run.id });
      else if (isPending(next.task)) await this.#send(sql, next.task);
    }
    // The next run of the stack gets its turn.
    if (isEnd(run.status) && !isEnd(before.run.status)) {
      await lockStack(sql, run.stack);
      const next = await nextInLine(sql, run.stack);
      if (next !== undefined) await this.#parts.queue.send(sql, jobs.start, { run: next });
    }
  }

  async #send(sql: Sql, { id, timing }: RunTask): Promise<void> {
    const retryDelaySeconds = Math.ceil(timing.retryPauseMs / 1000);
    await this.#parts.queue.send(sql, jobs.send, { task: id }, { retryDelaySeconds });
  }
}
