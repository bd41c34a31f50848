import { randomUUID } from 'node:crypto';
import { Stage } from '../../core/run-task/stage.ts';
import { deadline, hasEnded, TaskStatus, type Timing } from '../../core/run-task/task-result.ts';
import type { Database, Sql } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import { nextStatus } from './next-status.ts';
import { isEnd, type Run, type RunMove, RunStatus, type RunTask } from './run.ts';
import { lockRun, lockStack, nextInLine, touchRun, updateRun } from './run-store.ts';
import { insertTask, readTasks, updateTask } from './run-task-store.ts';

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
  timing: Timing;
  /** Called for each end once it is stored. */
  onEnd: (ended: Ended) => void;
}

/**
 * Moves runs from status to status. Every move is one transaction, with the run locked, together with the tasks and jobs
 * that it causes: no run has a status without the work that belongs to it.
 */
export class RunFlow {
  readonly #args: RunFlowArgs;
  /** By transaction. */
  readonly #ended = new WeakMap<Sql, Ended[]>();

  constructor(args: RunFlowArgs) {
    this.#args = args;
  }

  /** Runs a transaction that has a run locked, as every move needs one. @returns undefined if there is no such run */
  async change<Result>(
    id: string,
    work: (sql: Sql, run: Run) => Promise<Result>,
  ): Promise<Result | undefined> {
    const ended: Ended[] = [];
    const result = await this.#args.database.transaction(async (sql) => {
      this.#ended.set(sql, ended);
      const run = await lockRun(sql, id);
      return run && (await work(sql, run));
    });
    for (const one of ended) this.#args.onEnd(one);
    return result;
  }

  /** Moves a run, and on through all stages without tasks to wait for. */
  async enter(sql: Sql, run: Run, move: RunMove): Promise<void> {
    const { plan, ...change } = move;
    const { status } = move;
    await updateRun(sql, run.id, isEnd(status) ? { ...move, endedAt: this.#args.now() } : move);
    const moved: Run = { ...run, ...change, ...(plan && { hasChanges: plan.hasChanges }) };
    if (isEnd(status)) return await this.#end(sql, moved);
    if (status === RunStatus.planning) return await this.#args.queue.send(sql, jobs.plan, { run: run.id });
    if (status === RunStatus.applying) return await this.#args.queue.send(sql, jobs.apply, { run: run.id });
    const stage = Object.values(Stage).find((one) => one === status);
    if (stage === undefined) return;
    await this.#beginStage(sql, moved, stage);
    await this.#settle(sql, moved);
  }

  /** Stores a changed task, and moves its run on if that was the last one it waited for. */
  async record(sql: Sql, run: Run, task: RunTask): Promise<void> {
    await touchRun(sql, run.id);
    await this.#store(sql, task);
    if (hasEnded(task)) await this.#settle(sql, run);
  }

  async #settle(sql: Sql, run: Run): Promise<void> {
    const next = nextStatus(run, await readTasks(sql, run.id));
    if (next !== undefined) await this.enter(sql, run, next);
  }

  async #store(sql: Sql, task: RunTask): Promise<void> {
    await updateTask(sql, task, deadline(task, this.#args.timing), this.#args.now());
    if (hasEnded(task)) this.#ended.get(sql)?.push({ task: task.status });
  }

  async #beginStage(sql: Sql, run: Run, stage: Stage): Promise<void> {
    const tasks = run.description.tasks.filter(({ stages }) => stages.includes(stage));
    for (const [position, { name, url, enforcement }] of tasks.entries()) {
      const task: RunTask = {
        id: randomUUID(),
        run: run.id,
        stage,
        name,
        requestUrl: url,
        enforcement,
        status: TaskStatus.pending,
        outcomes: [],
        requestedAt: this.#args.now(),
        attempts: 0,
      };
      await insertTask(sql, task, position, deadline(task, this.#args.timing));
      await this.#args.queue.send(sql, jobs.send, { task: task.id });
    }
  }

  /** No task outlives its run, and the next run of the stack gets its turn. */
  async #end(sql: Sql, run: Run): Promise<void> {
    this.#ended.get(sql)?.push({ run: run.status });
    const message = `The run ended: ${run.status}.`;
    for (const task of await readTasks(sql, run.id)) {
      if (!hasEnded(task)) await this.#store(sql, { ...task, status: TaskStatus.errored, message });
    }
    await lockStack(sql, run.stack);
    const next = await nextInLine(sql, run.stack);
    if (next !== undefined) await this.#args.queue.send(sql, jobs.start, { run: next });
  }
}
