import { type JsonApiError, unauthorized, unprocessable } from '../../core/run-task/json-api-error.ts';
import type { Outcome } from '../../core/run-task/outcome.ts';
import { parseResult } from '../../core/run-task/result.ts';
import { applyResult, expire, hasEnded, TaskStatus, type Timing } from '../../core/run-task/task-result.ts';
import type { Database, Sql } from '../store/database.ts';
import { taskResultOf } from './access-token.ts';
import type { Run, RunTask } from './run.ts';
import type { RunFlow } from './run-flow.ts';
import { readOverdue, readTask } from './run-task-store.ts';

/** Outcomes of one task, in all its callbacks. More are a defect of the integrator. */
const mostOutcomes = 2500;
/** Characters of all of them, as JSON. A row has room for more, but every callback rewrites it. */
const largestOutcomes = 16 * 1024 * 1024;
/** Overdue tasks that one sweep ends. */
const sweptAtOnce = 100;

/** The answer to a callback (interface.md A-2). */
export type CallbackAnswer = { status: 200 } | { status: 401 | 422; errors: JsonApiError[] };

interface TaskResultsArgs {
  database: Database;
  flow: RunFlow;
  now: () => number;
  timing: Timing;
}

/** Changes the task results of runs: by callbacks, by time, and if an address may never be called. */
export class TaskResults {
  readonly #args: TaskResultsArgs;

  constructor(args: TaskResultsArgs) {
    this.#args = args;
  }

  /** Takes a callback. Its content is stored, with everything that it causes, before it is answered. */
  async takeCallback(id: string, token: string | undefined, body: Uint8Array): Promise<CallbackAnswer> {
    const isIts = token !== undefined && (await taskResultOf(this.#args.database, token)) === id;
    if (!isIts) return unauthorized;
    let json: unknown;
    try {
      json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    } catch {
      return { status: 422, errors: [unprocessable('the body is not JSON', '')] };
    }
    const parsed = parseResult(json);
    if ('errors' in parsed) return { status: 422, errors: parsed.errors };
    const answer = await this.#change(id, async (sql, run, task) => {
      const before = expire(task, this.#args.now(), this.#args.timing);
      const applied = applyResult(before, parsed.result, this.#args.now());
      if ('errors' in applied) return applied.errors;
      const surplus = surplusOf(applied.task.outcomes);
      if (surplus !== undefined) return [unprocessable(surplus, '/data/relationships/outcomes/data')];
      // Step 7: the result, and where the run goes because of it.
      await this.#args.flow.record(sql, run, { ...task, ...applied.task });
      return [];
    });
    // Step 8: only what is stored is answered with 200.
    if (answer === undefined) return unauthorized;
    return answer.length === 0 ? { status: 200 } : { status: 422, errors: answer };
  }

  /** Ends the tasks that have no time left, as errored. */
  async sweep(): Promise<void> {
    for (const id of await readOverdue(this.#args.database, this.#args.now(), sweptAtOnce)) {
      await this.#change(id, async (sql, run, task) => {
        const after = expire(task, this.#args.now(), this.#args.timing);
        if (after !== task) await this.#args.flow.record(sql, run, { ...task, ...after });
      });
    }
  }

  /** Ends a task as errored. */
  async fail(id: string, message: string): Promise<void> {
    await this.#change(id, async (sql, run, task) => {
      if (hasEnded(task)) return;
      await this.#args.flow.record(sql, run, { ...task, status: TaskStatus.errored, message });
    });
  }

  /** Changes a task, with its run locked. */
  async #change<Result>(
    id: string,
    change: (sql: Sql, run: Run, task: RunTask) => Promise<Result>,
  ): Promise<Result | undefined> {
    const found = await readTask(this.#args.database, id);
    if (found === undefined) return undefined;
    return await this.#args.flow.change(found.run, async (sql, run) => {
      const task = await readTask(sql, id);
      return task && (await change(sql, run, task));
    });
  }
}

/** Why a task cannot keep these outcomes, if it cannot. */
function surplusOf(outcomes: readonly Outcome[]): string | undefined {
  if (outcomes.length > mostOutcomes) return `a task has at most ${mostOutcomes} outcomes`;
  const isTooLong = JSON.stringify(outcomes).length > largestOutcomes;
  return isTooLong ? `the outcomes of a task have at most ${largestOutcomes} characters` : undefined;
}
