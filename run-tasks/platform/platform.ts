import { randomBytes } from 'node:crypto';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { type PlannedChanges, RunStatus } from '../../core/run-task/run.ts';
import { hasEnded } from '../../core/run-task/task-result.ts';
import { Metrics } from '../../web/metrics.ts';
import { type Log, silent } from '../log.ts';
import { gaugeOpen } from '../metrics.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import { taskResultOf } from './access-token.ts';
import { readApplyLog } from './apply-log.ts';
import type { Choice } from './decide.ts';
import type { Decision, Run, RunTask } from './run.ts';
import { type Ended, jobs, RunFlow } from './run-flow.ts';
import {
  insertRun,
  lockStack,
  readAhead,
  readChanges,
  readDecisions,
  readPlan,
  readRun,
  readRuns,
  readVersion,
} from './run-store.ts';
import { readTask, readTasks } from './run-task-store.ts';
import { RunWork } from './run-work.ts';
import { sendRequest } from './send-request.ts';
import { type CallbackAnswer, endOverdue, takeCallback } from './task-results.ts';
import { readVerifications, type Verification, verifyTasks } from './verify-tasks.ts';
import type { Work } from './work.ts';

const sweepEveryMs = 1000;

export interface PlatformArgs {
  database: Database;
  /** Started. Its owner stops it before the database is closed. */
  queue: Queue;
  outbound: Pick<Outbound, 'request'>;
  work: Work;
  /** Public address of this platform, without a trailing slash; known once its server listens. */
  address: () => string;
  /** Version of Gatehouse, for the `User-Agent`. */
  version: string;
  /** Milliseconds since 1970. Defaults to the system's clock. */
  now?: () => number;
  /** Defaults to writing nothing. */
  log?: Log;
  metrics?: Metrics;
}

interface NewRun {
  stack: string;
  message: string;
  /** Plan only. */
  isSpeculative: boolean;
  createdBy: string;
}

/** A run with its tasks, what was decided about it, and whether the addresses of its stack's run tasks answer. */
export interface RunWithTasks extends Run {
  /** What its plan changes; undefined before there is one. */
  changes?: PlannedChanges;
  /** What its apply has done so far, in lines. */
  applyLog: string[];
  tasks: RunTask[];
  decisions: Decision[];
  verifications: Verification[];
  /** The run of the stack that it waits behind, before its turn. */
  ahead?: Pick<Run, 'id' | 'status'>;
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
  readonly #args: PlatformArgs;
  readonly #now: () => number;
  readonly #onAnswer: (answer: string) => void;
  readonly #flow: RunFlow;
  readonly #runWork: RunWork;
  #isStopping = false;
  #sweeper: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(args: PlatformArgs) {
    const { database, queue, work, now = Date.now, log = silent } = args;
    const { metrics = new Metrics() } = args;
    this.#args = args;
    this.#now = now;
    gaugeOpen(metrics, 'gatehouse_runs_open', 'Runs without an end, by status.', database, 'runs');
    const runs = metrics.counter('gatehouse_runs_ended_total', 'Runs that ended, by status.', ['status']);
    const tasksHelp = 'Task results that ended, by status.';
    const tasks = metrics.counter('gatehouse_task_results_ended_total', tasksHelp, ['status']);
    const requestsHelp = 'Run task requests sent, by status of the answer.';
    const requests = metrics.counter('gatehouse_task_requests_total', requestsHelp, ['answer']);
    this.#onAnswer = (answer) => requests.inc({ answer });
    const onEnd = (ended: Ended) =>
      'run' in ended ? runs.inc({ status: ended.run }) : tasks.inc({ status: ended.task });
    this.#flow = new RunFlow({ database, queue, now, onEnd });
    const isStopping = () => this.#isStopping;
    const verify = (run: Run) => verifyTasks(run, this.#sending());
    this.#runWork = new RunWork({ database, flow: this.#flow, work, log, isStopping, verify });
  }

  /** Whether event streams must end. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Starts to work on runs. */
  async start(): Promise<void> {
    const { queue, log = silent } = this.#args;
    await queue.work<{ run: string }>(jobs.start, ({ run }) => this.#runWork.start(run));
    await queue.work<{ run: string }>(jobs.plan, ({ run }) => this.#runWork.plan(run), { concurrency: 2 });
    await queue.work<{ run: string }>(jobs.apply, ({ run }) => this.#runWork.apply(run), { concurrency: 2 });
    await queue.work<{ task: string }>(jobs.send, ({ task }) => sendRequest(task, this.#sending()));
    this.#sweeper = setInterval(() => {
      this.#sweeping = this.sweep().catch((err: Error) =>
        log.error({ err }, 'overdue tasks could not be ended'),
      );
    }, sweepEveryMs);
    this.#sweeper.unref();
  }

  /** Stops the timer. Stop the queue, too: it has the jobs in progress. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#sweeper);
    await this.#sweeping;
  }

  /**
   * Adds a run. It starts when earlier runs of the stack have ended.
   *
   * @throws GatehouseError if the stack cannot be read
   */
  async createRun({ stack, message, isSpeculative, createdBy }: NewRun): Promise<RunWithTasks> {
    const run: Run = {
      id: `run-${randomBytes(12).toString('hex')}`,
      stack,
      status: RunStatus.pending,
      message,
      isSpeculative,
      createdBy,
      createdAt: this.#now(),
      description: await this.#args.work.describe(stack),
      hasApplied: false,
      version: 1,
    };
    // Step 1.
    await this.#args.database.transaction(async (sql) => {
      await lockStack(sql, stack);
      await insertRun(sql, run);
      await this.#args.queue.send(sql, jobs.start, { run: run.id });
    });
    return { ...run, applyLog: [], tasks: [], decisions: [], verifications: [] };
  }

  /** Starts a run like an earlier one, with the stack as it is now. */
  async rerun(id: string, createdBy: string): Promise<RunWithTasks> {
    const { stack, message, isSpeculative } = await this.readRun(id);
    return await this.createRun({ stack, message, isSpeculative, createdBy });
  }

  /**
   * Takes a person's decision about a run. Canceling twice is once.
   *
   * @throws GatehouseError `run_unknown`, and what `decide` throws
   */
  async decide(id: string, choice: Choice): Promise<RunWithTasks> {
    await this.#flow.take(id, { type: 'decided', choice });
    return await this.readRun(id);
  }

  /** @throws GatehouseError `run_unknown` */
  async readRun(id: string): Promise<RunWithTasks> {
    const run = await this.findRun(id);
    if (run === undefined) throw unknown(id);
    return run;
  }

  /** Undefined if there is no such run. */
  async findRun(id: string): Promise<RunWithTasks | undefined> {
    const { database } = this.#args;
    const run = await readRun(database, id);
    if (run === undefined) return undefined;
    const [tasks, decisions] = [await readTasks(database, id), await readDecisions(database, id)];
    const changes = await readChanges(database, id);
    const verifications = await readVerifications(database, run.stack);
    const ahead = await readAhead(database, id);
    return {
      ...run,
      ...(changes && { changes }),
      ...(ahead && { ahead }),
      applyLog: await readApplyLog(database, id),
      tasks,
      decisions,
      verifications,
    };
  }

  /**
   * The run's version, which grows with every change of the run or one of its tasks.
   *
   * @throws GatehouseError `run_unknown`
   */
  async readVersion(id: string): Promise<number> {
    const version = await readVersion(this.#args.database, id);
    if (version === undefined) throw unknown(id);
    return version;
  }

  /** The run that another one waits behind; undefined if it does not wait for its turn. */
  readAhead(id: string): Promise<Pick<Run, 'id' | 'status'> | undefined> {
    return readAhead(this.#args.database, id);
  }

  /** Newest first, without their tasks. */
  readRuns(filter: { stack?: string; limit: number }): Promise<Run[]> {
    return readRuns(this.#args.database, filter);
  }

  /** Takes an integrator's callback (interface.md A-2). */
  takeCallback(id: string, token: string | undefined, body: Uint8Array): Promise<CallbackAnswer> {
    return takeCallback({ id, token, body }, { database: this.#args.database, flow: this.#flow });
  }

  /**
   * The plan of a run, for the token of one of its open tasks.
   *
   * @returns undefined if the token does not allow it
   */
  async readPlan(id: string, token: string | undefined): Promise<{ plan: unknown } | undefined> {
    if (!(await this.isTokenOf(id, token))) return undefined;
    return { plan: await readPlan(this.#args.database, id) };
  }

  /**
   * The committed files of a run's stack, for the token of one of its open tasks.
   *
   * @returns undefined if the token does not allow it
   */
  async readFiles(id: string, token: string | undefined): Promise<{ archive?: Buffer } | undefined> {
    if (!(await this.isTokenOf(id, token))) return undefined;
    const commit = (await readRun(this.#args.database, id))?.description.commit;
    return { archive: commit ? await this.#args.work.archive(commit) : undefined };
  }

  /** Whether it is a token of one of the run's open tasks. */
  async isTokenOf(run: string, token: string | undefined): Promise<boolean> {
    const { database } = this.#args;
    const taskId = token === undefined ? undefined : await taskResultOf(database, token);
    const task = taskId === undefined ? undefined : await readTask(database, taskId);
    return task !== undefined && task.run === run && !hasEnded(task);
  }

  /** The run that a task belongs to. */
  async runOfTask(id: string): Promise<string | undefined> {
    return (await readTask(this.#args.database, id))?.run;
  }

  /** Ends the tasks that have no time left. It runs every second; tests with their own clock call it. */
  sweep(): Promise<void> {
    return endOverdue({ database: this.#args.database, flow: this.#flow }, this.#now());
  }

  #sending() {
    const { database, outbound, work, address, version } = this.#args;
    const shared = { database, outbound, work, version, now: this.#now, onAnswer: this.#onAnswer };
    return { ...shared, address: address(), flow: this.#flow };
  }
}

function unknown(id: string): GatehouseError {
  return new GatehouseError({ code: 'run_unknown', what: 'there is no such run', given: id.slice(0, 100) });
}
