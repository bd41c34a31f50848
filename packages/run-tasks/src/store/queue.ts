import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions, PgBoss } from 'pg-boss';
import type { Database, Sql } from './database.ts';

/** Seconds without a heartbeat after which another process takes over a job; pg-boss allows no fewer. */
const heartbeatSeconds = 10;
/** Retries of a job. The work itself gives up at the deadline of its task. */
const retryLimit = 1000;

interface QueueSettings {
  /** Seconds before the first retry, or up to twice as many, at random; doubled for each further one. Defaults to 1. */
  retryDelaySeconds?: number;
  /** The longest pause in seconds. Defaults to 60. */
  retryDelayMaxSeconds?: number;
  /** Workers of this queue in one process. A long job holds up only its own worker. Defaults to 2. */
  workers?: number;
  /** Jobs that a worker takes at once. It takes more once all of them have ended. Defaults to 2. */
  batch?: number;
}

/**
 * Durable jobs: a job sent in a transaction runs at least once after the commit, in one process at a time, whichever
 * process dies meanwhile. A handler that throws is called again later, so every handler is idempotent.
 */
export class Queue {
  readonly #boss: PgBoss;
  readonly #isShared: boolean;
  readonly #pollSeconds: number;
  readonly #names: string[] = [];

  /**
   * @param options.onError called with failures outside of handlers; the queue continues
   * @param options.pollSeconds between two looks of a worker: the database notifies of new jobs, but not of retries
   */
  constructor(database: Database, { onError = (_: Error) => {}, pollSeconds = 3 } = {}) {
    this.#boss = database.newBoss();
    this.#boss.on('error', onError);
    this.#isShared = database.isShared;
    this.#pollSeconds = pollSeconds;
  }

  async start(): Promise<void> {
    await this.#boss.start();
    // No other process uses this database, so active jobs belonged to a process that has ended.
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
    { retryDelaySeconds = 1, retryDelayMaxSeconds = 60, workers = 2, batch = 2 }: QueueSettings = {},
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
    this.#names.push(name);
    const options = {
      localConcurrency: workers,
      batchSize: batch,
      burstWhenBatchFull: true,
      perJobResults: true,
      pollingIntervalSeconds: this.#pollSeconds,
      notifyPollingIntervalSeconds: this.#pollSeconds,
    } as const;
    await this.#boss.work<Data, unknown, typeof options>(name, options, (jobs) =>
      Promise.all(
        jobs.map(({ id, data }) =>
          handler(data).then(
            () => ({ id, status: 'completed' as const }),
            ({ message }: Error) => ({ id, status: 'failed' as const, output: { message } }),
          ),
        ),
      ),
    );
  }

  /** Sends a job. @param sql its transaction: the job exists once that is committed */
  async send(
    sql: Sql,
    name: string,
    data: object,
    { retryDelaySeconds: retryDelay }: Pick<QueueSettings, 'retryDelaySeconds'> = {},
  ): Promise<void> {
    await this.#boss.send(name, data, { db: transactionOf(sql), ...(retryDelay && { retryDelay }) });
  }

  /** Sends several jobs of one queue, as `send` does one. */
  async sendAll(sql: Sql, name: string, data: readonly object[]): Promise<void> {
    await this.#boss.insert(
      name,
      data.map((job) => ({ data: job })),
      { db: transactionOf(sql) },
    );
  }

  /** Waits for the jobs in progress, up to a time, and hands back those that are not done by then. */
  async stop(timeoutMs = 10_000): Promise<void> {
    const ended = Promise.all(this.#names.map((name) => this.#boss.offWork(name)));
    const over = new AbortController();
    await Promise.race([ended, sleep(timeoutMs, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
    await this.#boss.stop({ graceful: false });
  }
}

function transactionOf(sql: Sql): ConnectionOptions['db'] {
  return { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) };
}
