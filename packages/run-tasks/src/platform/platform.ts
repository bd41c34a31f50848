import { randomBytes } from 'node:crypto';
import {
  hasEnded,
  type JsonApiError,
  parseResult,
  RunStatus,
  type tokenExchange,
  unauthorized,
  unprocessable,
  unwieldyError,
} from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import { Metrics } from '@gatehouse/host';
import pLimit from 'p-limit';
import type { z } from 'zod';
import { gaugeOpen, silent } from '../log.ts';
import { repeat } from '../repeat.ts';
import { insert } from '../store/record.ts';
import type { Choice } from './decide.ts';
import { readReviews, readSpent, spendReviews } from './reviews.ts';
import { plannedFiles, type Run, type RunWithTasks, requireCommitted } from './run.ts';
import { jobs, RunFlow } from './run-flow.ts';
import { RunNews } from './run-news.ts';
import {
  lockStack,
  type RunFilter,
  readOverdueRuns,
  readPlan,
  readProgress,
  readRun,
  readRuns,
  readTask,
  readWholeRun,
  taskResultOf,
} from './run-store.ts';
import { RunWork } from './run-work.ts';
import { sendRequest } from './send-request.ts';
import type { GivenToken, PlatformParts } from './work.ts';

const sweepEveryMs = 1000;
/** Exchanges of reviews at the same time: each may plan a stack. */
const exchangesAtOnce = 2;
/** Runs whose overdue tasks one sweep ends. */
const sweptAtOnce = 100;

/** The answer to a callback (docs/inside/specification.md A-2). */
type CallbackAnswer = { status: 200 } | { status: 401 | 422; errors: JsonApiError[] };

export interface PlatformArgs
  extends Omit<PlatformParts, 'now' | 'log' | 'stopping' | 'onAnswer' | 'onEnd'>,
    Partial<Pick<PlatformParts, 'now' | 'log'>> {
  metrics?: Metrics;
}

/**
 * Gates deployments: the runs of a stack take turns, wait at each stage for its run tasks, and continue only if no
 * mandatory one objects. All its state is in the database, so any number of processes may share the work.
 *
 * The steps of a run. Each stores its result together with the job for the next, or nothing.
 *  1. store the run and its first job  2. at its turn, read the stack  3. store a stage, its tasks, and a job for each
 *  4. store an access token  5. send the request  6. store that it was accepted  7. store a callback, and where the run
 *  goes because of it  8. answer the callback  9. plan  10. store the plan and the next stage  11. store that applying
 *  begins  12. apply  13. store the result and the last stage
 */
export class Platform {
  readonly #parts: PlatformParts;
  readonly #stopping = new AbortController();
  readonly #flow: RunFlow;
  readonly #news: RunNews;
  readonly #exchanging = pLimit(exchangesAtOnce);
  #stopSweeping = async () => {};

  constructor({ metrics = new Metrics(), ...args }: PlatformArgs) {
    gaugeOpen(metrics, args.database, 'runs', 'Runs');
    const runs = metrics.counter('gatehouse_runs_ended_total', 'Runs that ended, by status.', ['status']);
    const tasksHelp = 'Task results that ended, by status.';
    const tasks = metrics.counter('gatehouse_task_results_ended_total', tasksHelp, ['status']);
    const requestsHelp = 'Run task requests sent, by status of the answer.';
    const requests = metrics.counter('gatehouse_task_requests_total', requestsHelp, ['answer']);
    this.#parts = {
      now: Date.now,
      log: silent,
      stopping: this.#stopping.signal,
      ...args,
      onAnswer: (answer) => requests.inc({ answer }),
      onEnd: (ended) =>
        'run' in ended ? runs.inc({ status: ended.run }) : tasks.inc({ status: ended.task }),
    };
    this.#flow = new RunFlow(this.#parts);
    this.#news = new RunNews(args.database, this.#stopping.signal);
  }

  async start(): Promise<void> {
    const { queue, log } = this.#parts;
    const work = new RunWork(this.#parts, this.#flow);
    const few = { workers: 2, batch: 1 };
    await queue.work<{ run: string }>(jobs.start, ({ run }) => work.start(run));
    await queue.work<{ run: string }>(jobs.plan, ({ run }) => work.plan(run), few);
    await queue.work<{ run: string }>(jobs.apply, ({ run }) => work.apply(run), few);
    await queue.work<{ task: string }>(jobs.send, ({ task }) => sendRequest(task, this.#parts, this.#flow));
    const trouble = 'overdue tasks could not be ended';
    this.#stopSweeping = repeat(() => this.sweep(), sweepEveryMs, log, trouble);
  }

  /** Stops the timer. The owner of the queue stops the jobs in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#stopSweeping();
  }

  /**
   * Adds a run. It starts when earlier runs of the stack have ended; one that only plans starts at once.
   *
   * @throws GatehouseError `files_uncommitted`, or if the stack cannot be read
   */
  async createRun(
    request: Pick<Run, 'stack' | 'message' | 'isSpeculative' | 'allowsUncommitted' | 'createdBy'>,
  ): Promise<RunWithTasks> {
    const { database, queue, work, now } = this.#parts;
    const run: Run = {
      ...request,
      id: `run-${randomBytes(12).toString('hex')}`,
      status: RunStatus.pending,
      createdAt: now(),
      // The run is described again when it starts, then with its files.
      description: await work.describe(request.stack, { withFiles: false }),
      hasApplied: false,
      statusTimes: [],
      version: 1,
    };
    requireCommitted(run);
    // Step 1.
    await database.transaction(async (sql) => {
      await lockStack(sql, run.stack);
      await insert(sql, 'runs', run);
      await queue.send(sql, jobs.start, { run: run.id });
    });
    return { ...run, applyLog: [], tasks: [], decisions: [], verifications: [] };
  }

  /** Starts a run like an earlier one, with the stack as it is now. */
  async rerun(id: string, createdBy: string): Promise<RunWithTasks> {
    const { stack, message, isSpeculative, allowsUncommitted } = await this.readRun(id);
    return await this.createRun({ stack, message, isSpeculative, allowsUncommitted, createdBy });
  }

  /**
   * Takes a person's decision about a run. Canceling again changes nothing.
   *
   * @throws GatehouseError `run_unknown`, and what `decide` throws
   */
  async decide(id: string, choice: Choice): Promise<RunWithTasks> {
    await this.#flow.take(id, { type: 'decided', choice });
    return await this.readRun(id);
  }

  /** @throws GatehouseError `run_unknown` */
  async readRun(id: string): Promise<RunWithTasks> {
    return orRunUnknown(await this.findRun(id), id);
  }

  /** Undefined if there is no such run. */
  findRun(id: string): Promise<RunWithTasks | undefined> {
    return readWholeRun(this.#parts.database, id);
  }

  /** @throws GatehouseError `run_unknown` */
  async requireRun(id: string): Promise<void> {
    orRunUnknown((await readProgress(this.#parts.database, [id])).get(id), id);
  }

  /** An existing run, as server-sent events: `RunNews.events`. */
  events(id: string): AsyncIterable<Uint8Array> {
    return this.#news.events(id);
  }

  /** Newest first, without their tasks. */
  readRuns(filter: RunFilter): Promise<Run[]> {
    return readRuns(this.#parts.database, filter);
  }

  /**
   * Takes an integrator's callback (docs/inside/specification.md A-2): stores it, with everything that it causes, and
   * answers it.
   */
  async takeCallback(id: string, token: string | undefined, body: Uint8Array): Promise<CallbackAnswer> {
    const { database } = this.#parts;
    if (token === undefined || (await taskResultOf(database, token)) !== id) return unauthorized;
    let json: unknown;
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
      const unwieldy = unwieldyError(text);
      if (unwieldy !== undefined) return { status: 422, errors: [unwieldy] };
      json = JSON.parse(text);
    } catch {
      return { status: 422, errors: [unprocessable('the body is not JSON', '')] };
    }
    const parsed = parseResult(json);
    if ('errors' in parsed) return { status: 422, errors: parsed.errors };
    const task = await readTask(database, id);
    // Step 7: the result, and where the run goes because of it.
    const event = { type: 'reported', task: id, result: parsed.result } as const;
    const taken = task && (await this.#flow.take(task.run, event));
    if (taken === undefined) return unauthorized;
    // Step 8: only what is stored is answered with 200.
    return taken.errors === undefined ? { status: 200 } : { status: 422, errors: taken.errors };
  }

  /**
   * Exchanges signed reviews of a change for a token that applies it. Reviews can be exchanged once.
   *
   * @throws GatehouseError `review_missing`, and what `Work.deployingToken` throws
   */
  async deployingToken(
    { stack, ...request }: z.output<typeof tokenExchange.asked>,
    by: string,
  ): Promise<Pick<GivenToken, 'token' | 'expiresAt'>> {
    const { database, work, now, log } = this.#parts;
    let spentAt: number | undefined;
    const token = await this.#exchanging(() =>
      work.deployingToken(stack, request, async (digest) => {
        spentAt = await readSpent(database, stack, digest);
        return spentAt;
      }),
    );
    try {
      const circumstances = { spentAt, by, now: now() };
      await database.transaction((sql) => spendReviews(sql, stack, token, circumstances));
    } catch (error) {
      await token.revoke();
      throw error;
    }
    log.info({ stack, by, plan: token.change }, 'gave a deploying token for signed reviews');
    return token;
  }

  /** Signed reviews of a stack, the newest first. */
  readReviews(filter: Parameters<typeof readReviews>[1]): ReturnType<typeof readReviews> {
    return readReviews(this.#parts.database, filter);
  }

  readPlan(id: string): Promise<unknown> {
    return readPlan(this.#parts.database, id);
  }

  /** The files that a run plans; undefined if they are not available. */
  async readFiles(id: string): Promise<Buffer | undefined> {
    const { database, work } = this.#parts;
    const run = await readRun(database, id);
    const digest = run && plannedFiles(run.description);
    return digest === undefined ? undefined : await work.archive(digest);
  }

  /** Whether it is a token of one of the run's open tasks. */
  async isTokenOf(run: string, token: string | undefined): Promise<boolean> {
    const { database } = this.#parts;
    const taskId = token === undefined ? undefined : await taskResultOf(database, token);
    const task = taskId === undefined ? undefined : await readTask(database, taskId);
    return task !== undefined && task.run === run && !hasEnded(task);
  }

  /** Ends the tasks that have no time left. It runs every second; tests with their own clock call it. */
  async sweep(): Promise<void> {
    for (const run of await readOverdueRuns(this.#parts.database, this.#parts.now(), sweptAtOnce)) {
      await this.#flow.take(run, { type: 'timePassed' });
    }
  }
}

/** @throws GatehouseError `run_unknown` */
function orRunUnknown<Stored>(run: Stored | undefined, id: string): Stored {
  if (run !== undefined) return run;
  throw new GatehouseError('run_unknown', { given: id.slice(0, 100) });
}
