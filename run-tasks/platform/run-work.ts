import { GatehouseError } from '../../core/model/values/errors.ts';
import { Stage } from '../../core/run-task/stage.ts';
import type { Log } from '../log.ts';
import type { Database, Sql } from '../store/database.ts';
import { nextStatus } from './next-status.ts';
import { type Run, type RunMove, RunStatus } from './run.ts';
import type { RunFlow } from './run-flow.ts';
import { lockStack, nextInLine, readPlan, readRun, updateRun } from './run-store.ts';
import { readTasks } from './run-task-store.ts';
import type { Work } from './work.ts';

interface RunWorkArgs {
  database: Database;
  flow: RunFlow;
  work: Work;
  now: () => number;
  log: Log;
  /** Whether this process is stopping. */
  isStopping: () => boolean;
}

/**
 * The jobs of a run: what it does between its stages. Each may be called again after a crash at any point, and does
 * nothing if its part is done or the run has moved on.
 */
export class RunWork {
  readonly #args: RunWorkArgs;
  /** Names of the work in progress in this process. */
  readonly #held = new Set<string>();

  constructor(args: RunWorkArgs) {
    this.#args = args;
  }

  /** Starts a run if it is its turn. */
  async start(id: string): Promise<void> {
    const { database, work, flow } = this.#args;
    const run = await readRun(database, id);
    if (run?.status !== RunStatus.pending || (await nextInLine(database, run.stack)) !== id) return;
    // Step 2. The stack may have changed while the run waited: it is gated by the tasks that the stack has now.
    const move = await this.#moveAfter(async () => ({
      status: RunStatus.prePlan,
      description: await work.describe(run.stack),
    }));
    // Step 3.
    await this.#inStatus(id, RunStatus.pending, async (sql, locked) => {
      await lockStack(sql, locked.stack);
      if ((await nextInLine(sql, locked.stack)) === id) await flow.enter(sql, locked, move);
    });
  }

  async plan(id: string): Promise<void> {
    const { database, work, flow } = this.#args;
    await this.#exclusively(`plan of ${id}`, async () => {
      const run = await readRun(database, id);
      if (run?.status !== RunStatus.planning) return;
      const { stack, isSpeculative } = run;
      // Step 9.
      const move = await this.#moveAfter(async () => ({
        status: RunStatus.postPlan,
        plan: await work.plan(stack, { isSpeculative }),
      }));
      // Step 10.
      await this.#inStatus(id, RunStatus.planning, (sql, locked) => flow.enter(sql, locked, move));
    });
  }

  async apply(id: string): Promise<void> {
    const { work, flow, now } = this.#args;
    await this.#exclusively(`apply of ${id}`, async () => {
      // Step 11.
      const begun = await this.#inStatus(id, RunStatus.applying, async (sql, run) => {
        const gate = nextStatus({ ...run, status: Stage.preApply }, await readTasks(sql, id));
        // The gate was open when the run got here, and final results do not change. But somebody may have edited the store.
        if (gate?.status !== RunStatus.applying) {
          await flow.enter(sql, run, gate ?? { status: RunStatus.errored });
          return undefined;
        }
        await updateRun(sql, id, { applyBegunAt: run.applyBegunAt ?? now() });
        return { run, plan: await readPlan(sql, id) };
      });
      if (begun === undefined) return;
      const { run, plan } = begun;
      // Step 12.
      const move = await this.#moveAfter(async () => {
        const isResumed = run.applyBegunAt !== undefined;
        const { succeeded, message } = await work.apply(run.stack, plan, { isResumed });
        if (succeeded) return { status: RunStatus.postApply, hasApplied: true };
        this.#throwIfStopping();
        return errored(message);
      });
      // Step 13.
      await this.#inStatus(id, RunStatus.applying, (sql, locked) => flow.enter(sql, locked, move));
    });
  }

  /**
   * Does work only once at a time, across all processes on the database. The lock belongs to an open transaction: it ends
   * with its process, however that ends, and does not depend on clocks.
   *
   * @throws Error if the same work is in progress, so that the job is retried later
   */
  async #exclusively(name: string, work: () => Promise<void>): Promise<void> {
    const { database } = this.#args;
    if (this.#held.has(name)) throw new Error(`${name} is in progress in this process`);
    this.#held.add(name);
    try {
      // A database that is not shared has one transaction at a time: an open one would block everything.
      if (!database.isShared) return await work();
      await database.transaction(async (sql) => {
        const lock = 'SELECT pg_try_advisory_xact_lock(4774003, hashtext($1)) AS locked';
        const [row] = await sql.query(lock, [name]);
        if (row?.['locked'] !== true) throw new Error(`${name} is in progress in another process`);
        await work();
      });
    } finally {
      this.#held.delete(name);
    }
  }

  /** Where the run goes after the work. Failed work ends the run; only failures around it are retried. */
  async #moveAfter(work: () => Promise<RunMove>): Promise<RunMove> {
    try {
      return await work();
    } catch (err) {
      this.#throwIfStopping();
      if (err instanceof GatehouseError) return errored(err.message);
      this.#args.log.error({ err }, 'a run failed unexpectedly');
      return errored('The run failed unexpectedly. The log says why.');
    }
  }

  /** Work that fails while this process stops was interrupted: the next process repeats it. */
  #throwIfStopping(): void {
    if (this.#args.isStopping()) throw new Error('the work was interrupted: the platform is stopping');
  }

  /** Moves a run out of an expected status; undefined if it has another. */
  async #inStatus<Result>(
    id: string,
    status: RunStatus,
    move: (sql: Sql, run: Run) => Promise<Result>,
  ): Promise<Result | undefined> {
    return await this.#args.flow.change(id, async (sql, run) =>
      run.status === status ? await move(sql, run) : undefined,
    );
  }
}

function errored(reason: string): RunMove {
  return { status: RunStatus.errored, reason };
}
