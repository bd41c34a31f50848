import { GatehouseError } from '../../core/model/values/errors.ts';
import { Stage } from '../../core/run-task/stage.ts';
import type { Log } from '../log.ts';
import type { Database, Sql } from '../store/database.ts';
import { Exclusive } from '../store/exclusive.ts';
import { nextStatus } from './next-status.ts';
import { type Run, RunStatus } from './run.ts';
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
  /** Whether this process is stopping. Work that fails then was interrupted: the next process repeats it. */
  isStopping: () => boolean;
}

/**
 * The jobs of a run: what it does between its stages. Each may be called again after a crash at any point. It does
 * nothing if its part is done or the run has moved elsewhere.
 */
export class RunWork {
  readonly #args: RunWorkArgs;
  readonly #exclusive: Exclusive;

  constructor(args: RunWorkArgs) {
    this.#args = args;
    this.#exclusive = new Exclusive(args.database);
  }

  /** Starts a run if it is its turn. */
  async start(id: string): Promise<void> {
    const run = await readRun(this.#args.database, id);
    if (run?.status !== RunStatus.pending || (await nextInLine(this.#args.database, run.stack)) !== id)
      return;
    // Step 2. The stack may have changed while the run waited: it is gated by the tasks that the stack has now.
    const described = await this.#outcomeOf(() => this.#args.work.describe(run.stack));
    // Step 3.
    await this.#inStatus(id, RunStatus.pending, async (sql, locked) => {
      await lockStack(sql, locked.stack);
      if ((await nextInLine(sql, locked.stack)) !== id) return;
      if ('failed' in described) await this.#args.flow.enter(sql, locked, errored(described.failed));
      else {
        const change = { description: described.done };
        await this.#args.flow.enter(sql, locked, { status: RunStatus.prePlan }, change);
      }
    });
  }

  async plan(id: string): Promise<void> {
    await this.#exclusive.run(`plan of ${id}`, async () => {
      const run = await readRun(this.#args.database, id);
      if (run?.status !== RunStatus.planning) return;
      const { stack, isSpeculative } = run;
      // Step 9.
      const planned = await this.#outcomeOf(() => this.#args.work.plan(stack, { isSpeculative }));
      // Step 10.
      await this.#inStatus(id, RunStatus.planning, async (sql, locked) => {
        if ('failed' in planned) await this.#args.flow.enter(sql, locked, errored(planned.failed));
        else await this.#args.flow.enter(sql, locked, { status: RunStatus.postPlan }, { plan: planned.done });
      });
    });
  }

  async apply(id: string): Promise<void> {
    await this.#exclusive.run(`apply of ${id}`, async () => {
      // Step 11.
      const begun = await this.#inStatus(id, RunStatus.applying, async (sql, run) => {
        const gate = nextStatus({ ...run, status: Stage.preApply }, await readTasks(sql, [id]));
        // The gate was open when the run got here, and final results do not change. Somebody may have edited the store.
        if (gate?.status !== RunStatus.applying) {
          await this.#args.flow.enter(sql, run, gate ?? { status: RunStatus.errored });
          return undefined;
        }
        await updateRun(sql, id, RunStatus.applying, { applyBegunAt: run.applyBegunAt ?? this.#args.now() });
        return { run, plan: await readPlan(sql, id) };
      });
      if (begun === undefined) return;
      const { run, plan } = begun;
      // Step 12.
      const applied = await this.#outcomeOf(async () => {
        const isResumed = run.applyBegunAt !== undefined;
        const done = await this.#args.work.apply(run.stack, plan, { isResumed });
        if (!done.succeeded) this.#throwIfStopping();
        return done;
      });
      // Step 13.
      await this.#inStatus(id, RunStatus.applying, async (sql, locked) => {
        if ('failed' in applied) await this.#args.flow.enter(sql, locked, errored(applied.failed));
        else if (!applied.done.succeeded)
          await this.#args.flow.enter(sql, locked, errored(applied.done.message));
        else await this.#args.flow.enter(sql, locked, { status: RunStatus.postApply }, { hasApplied: true });
      });
    });
  }

  /** What the work resulted in. A failure is a result; only failures around the work are retried. */
  async #outcomeOf<Done>(work: () => Promise<Done>): Promise<{ done: Done } | { failed: string }> {
    try {
      return { done: await work() };
    } catch (err) {
      this.#throwIfStopping();
      if (err instanceof GatehouseError) return { failed: err.message };
      this.#args.log.error({ err }, 'a run failed unexpectedly');
      return { failed: 'The run failed unexpectedly. The log says why.' };
    }
  }

  /** Work that fails while this process stops was interrupted: the next process repeats it. @throws Error then */
  #throwIfStopping(): void {
    if (this.#args.isStopping()) throw new Error('the work was interrupted: the platform is stopping');
  }

  /** One move of a run out of an expected status; undefined if it has another status. */
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

function errored(reason: string) {
  return { status: RunStatus.errored, reason };
}
