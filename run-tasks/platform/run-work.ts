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

export interface RunWorkArgs {
  database: Database;
  flow: RunFlow;
  work: Work;
  now: () => number;
  log: Log;
  /** Whether this process is to end. Work that fails then was broken off: the next process does it again. */
  isStopping: () => boolean;
}

/**
 * The jobs of a run: what it does between its stages. Each may be called again after a crash at any point, and does
 * nothing where its part is done or the run has gone elsewhere.
 */
export class RunWork {
  readonly #database: Database;
  readonly #flow: RunFlow;
  readonly #work: Work;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #exclusive: Exclusive;
  readonly #isStopping: () => boolean;

  constructor(args: RunWorkArgs) {
    this.#database = args.database;
    this.#flow = args.flow;
    this.#work = args.work;
    this.#now = args.now;
    this.#log = args.log;
    this.#exclusive = new Exclusive(args.database);
    this.#isStopping = args.isStopping;
  }

  /** Begins a run where it is its turn. */
  async start(id: string): Promise<void> {
    const run = await readRun(this.#database, id);
    if (run?.status !== RunStatus.pending || (await nextInLine(this.#database, run.stack)) !== id) return;
    // Step 2. The stack may have changed while the run waited: it is gated by the tasks that the stack has now.
    const described = await this.#outcomeOf(() => this.#work.describe(run.stack));
    // Step 3.
    await this.#inStatus(id, RunStatus.pending, async (sql, locked) => {
      await lockStack(sql, locked.stack);
      if ((await nextInLine(sql, locked.stack)) !== id) return;
      if ('failed' in described) await this.#flow.enter(sql, locked, errored(described.failed));
      else {
        const change = { description: described.done };
        await this.#flow.enter(sql, locked, { status: RunStatus.prePlan }, change);
      }
    });
  }

  async plan(id: string): Promise<void> {
    await this.#exclusive.run(`plan of ${id}`, async () => {
      const run = await readRun(this.#database, id);
      if (run?.status !== RunStatus.planning) return;
      const { stack, isSpeculative } = run;
      // Step 9.
      const planned = await this.#outcomeOf(() => this.#work.plan(stack, { isSpeculative }));
      // Step 10.
      await this.#inStatus(id, RunStatus.planning, async (sql, locked) => {
        if ('failed' in planned) await this.#flow.enter(sql, locked, errored(planned.failed));
        else await this.#flow.enter(sql, locked, { status: RunStatus.postPlan }, { plan: planned.done });
      });
    });
  }

  async apply(id: string): Promise<void> {
    await this.#exclusive.run(`apply of ${id}`, async () => {
      // Step 11.
      const begun = await this.#inStatus(id, RunStatus.applying, async (sql, run) => {
        const gate = nextStatus({ ...run, status: Stage.preApply }, await readTasks(sql, [id]));
        // It was open when the run came here, and final results do not change: this is for a store that somebody edits.
        if (gate?.status !== RunStatus.applying) {
          await this.#flow.enter(sql, run, gate ?? { status: RunStatus.errored });
          return undefined;
        }
        await updateRun(sql, id, RunStatus.applying, { applyBegunAt: run.applyBegunAt ?? this.#now() });
        return { run, plan: await readPlan(sql, id) };
      });
      if (begun === undefined) return;
      const { run, plan } = begun;
      // Step 12.
      const applied = await this.#outcomeOf(async () => {
        const isResumed = run.applyBegunAt !== undefined;
        const done = await this.#work.apply(run.stack, plan, { isResumed });
        if (!done.succeeded) this.#passOn();
        return done;
      });
      // Step 13.
      await this.#inStatus(id, RunStatus.applying, async (sql, locked) => {
        if ('failed' in applied) await this.#flow.enter(sql, locked, errored(applied.failed));
        else if (!applied.done.succeeded) await this.#flow.enter(sql, locked, errored(applied.done.message));
        else await this.#flow.enter(sql, locked, { status: RunStatus.postApply }, { hasApplied: true });
      });
    });
  }

  /** What the work came to. That it fails is one of its results; only what fails around it is tried again. */
  async #outcomeOf<Done>(work: () => Promise<Done>): Promise<{ done: Done } | { failed: string }> {
    try {
      return { done: await work() };
    } catch (err) {
      this.#passOn();
      if (err instanceof GatehouseError) return { failed: err.message };
      this.#log.error({ err }, 'a run met what was not foreseen');
      return { failed: 'Something that was not foreseen went wrong; the log has it.' };
    }
  }

  /** Work that fails while this process ends was broken off: the next process does it again. @throws Error then */
  #passOn(): void {
    if (this.#isStopping()) throw new Error('the work was broken off: the platform stops');
  }

  /** One move of a run out of the status it is expected in; undefined where it has another. */
  async #inStatus<Result>(
    id: string,
    status: RunStatus,
    move: (sql: Sql, run: Run) => Promise<Result>,
  ): Promise<Result | undefined> {
    return await this.#flow.change(id, async (sql, run) =>
      run.status === status ? await move(sql, run) : undefined,
    );
  }
}

function errored(reason: string) {
  return { status: RunStatus.errored, reason };
}
