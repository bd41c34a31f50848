import type { ConnectionOptions, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Database, Sql } from './database.ts';

/** Seconds without a heartbeat after which another process takes over a job; pg-boss allows no fewer. */
const heartbeatSeconds = 10;

/** Retries of a job. The work itself gives up at the deadline of its task. */
const retryLimit = 1000;

/** Milliseconds to store a failure; the pause starts afterwards. */
const lookLaterMs = 100;

export interface JobSettings {
  /** Seconds before the first retry, or up to twice as many, at random; doubled for each further one. Defaults to 1. */
  retryDelaySeconds?: number;
}

export interface QueueSettings extends JobSettings {
  /** The longest pause in seconds. Defaults to 60. */
  retryDelayMaxSeconds?: number;
  /** Jobs of this queue that one process runs at the same time. Defaults to 4. */
  concurrency?: number;
}

/**
 * Durable jobs: a job sent in a transaction runs at least once after the commit, in one process at a time, whichever
 * process dies meanwhile. A handler that throws is called again later, so every handler is idempotent.
 */
export class Queue {
  readonly #boss: PgBoss;
  readonly #isShared: boolean;
  readonly #onError: (error: Error) => void;
  /** Workers without a job, by queue. */
  readonly #idle = new Map<string, Set<string>>();

  /** @param onError called with failures outside of handlers; the queue continues */
  constructor(database: Database, onError: (error: Error) => void = () => {}) {
    this.#boss = database.newBoss();
    this.#isShared = database.isShared;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#boss.on('error', this.#onError);
    this.#wakeOneByOne();
    await this.#boss.start();
    // No other process works here: active jobs belonged to a process that is gone.
    if (!this.#isShared) {
      await this.#boss
        .getDb()
        .executeSql(`UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE state = 'active'`);
    }
  }

  /** Creates the queue and starts to work on it. */
  async work<Data extends object>(
    name: string,
    handler: (data: Data) => Promise<void>,
    { retryDelaySeconds = 1, retryDelayMaxSeconds = 60, concurrency = 4 }: QueueSettings = {},
  ): Promise<void> {
    await this.#boss.createQueue(name, {
      notify: true,
      retryLimit,
      retryBackoff: true,
      retryDelay: retryDelaySeconds,
      retryDelayMax: retryDelayMaxSeconds,
      heartbeatSeconds,
      expireInSeconds: 60 * 60,
      deleteAfterSeconds: 24 * 60 * 60,
    });
    for (let count = 0; count < concurrency; count += 1) await this.#addWorker(name, handler);
  }

  /** pg-boss wakes all workers of a queue for each job, and all but one find nothing. */
  #wakeOneByOne(): void {
    const database = this.#boss.getDb();
    const listen = database.listen?.bind(database);
    if (listen === undefined) return;
    database.listen = (channel, _wakeAll, onReconnect) =>
      listen(channel, (name) => this.#wakeOne(name), onReconnect);
  }

  /** If all are at work, they look for more once they are done. */
  #wakeOne(name: string): void {
    const [id] = this.#idle.get(name) ?? [];
    if (id !== undefined) this.#boss.notifyWorker(id);
  }

  /**
   * Works on one job after the other. Notifications wake one idle worker, and that one wakes the next if it finds a job;
   * polling finds the jobs whose notification was missed.
   */
  async #addWorker<Data extends object>(name: string, handler: (data: Data) => Promise<void>): Promise<void> {
    const idle = this.#idle.get(name) ?? new Set();
    this.#idle.set(name, idle);
    const id: string = await this.#boss.work(
      name,
      { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 5, includeMetadata: true },
      async ([job]: JobWithMetadata<Data>[]) => {
        if (job === undefined) return;
        // There may be more, for others now and for this one afterwards: one notification may stand for several jobs.
        idle.delete(id);
        this.#wakeOne(name);
        this.#boss.notifyWorker(id);
        try {
          await handler(job.data);
        } catch (error) {
          // Nothing notifies of a retry. pg-boss waits for half of this time to all of it.
          const { retryDelay, retryDelayMax, retryCount } = job;
          const seconds = Math.min(
            retryDelayMax ?? Number.POSITIVE_INFINITY,
            retryDelay * 2 ** (retryCount + 1),
          );
          setTimeout(() => this.#wakeOne(name), seconds * 1000 + lookLaterMs).unref();
          throw error;
        } finally {
          idle.add(id);
        }
      },
    );
    idle.add(id);
  }

  /** @param sql the transaction of the job, which exists once that is committed */
  async send(
    sql: Sql,
    name: string,
    data: object,
    { retryDelaySeconds: retryDelay }: JobSettings = {},
  ): Promise<void> {
    await this.#boss.send(name, data, { db: transactionOf(sql), ...(retryDelay && { retryDelay }) });
  }

  /** Sends several jobs of one queue, as `send` does one. */
  async sendAll(sql: Sql, name: string, data: readonly object[]): Promise<void> {
    await this.#boss.insert(
      name,
      data.map((one) => ({ data: one })),
      { db: transactionOf(sql) },
    );
  }

  /** Waits for the jobs in progress, up to a time, and hands back those that are not done by then. */
  async stop(timeoutMs = 10_000): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: timeoutMs, close: true });
  }
}

function transactionOf(sql: Sql): ConnectionOptions['db'] {
  return { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) };
}
