import type { ConnectionOptions, PgBoss } from 'pg-boss';
import type { Database, Sql } from './database.ts';
import { QueueWorker } from './queue-worker.ts';

/** Seconds without a heartbeat after which another process takes over a job; pg-boss allows no fewer. */
const heartbeatSeconds = 10;

/** Retries of a job. The work itself gives up at the deadline of its task. */
const retryLimit = 1000;

/** Milliseconds between two looks for jobs whose notification was missed, and where the database does not notify. */
const pollMs = { notified: 5000, alone: 1000 };

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
  /** By queue. */
  readonly #workers = new Map<string, { wake(): void; stop(timeoutMs: number): Promise<void> }>();
  #poll: NodeJS.Timeout | undefined;

  /** @param onError called with failures outside of handlers; the queue continues */
  constructor(database: Database, onError: (error: Error) => void = () => {}) {
    this.#boss = database.newBoss();
    this.#isShared = database.isShared;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#boss.on('error', this.#onError);
    const isNotified = this.#listen();
    await this.#boss.start();
    const wait = isNotified() ? pollMs.notified : pollMs.alone;
    this.#poll = setInterval(() => this.#wakeAll(), wait).unref();
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
    const worker = new QueueWorker({
      ...{ boss: this.#boss, name, handler, concurrency, heartbeatSeconds },
      onError: this.#onError,
    });
    this.#workers.set(name, worker);
    worker.wake();
  }

  /** pg-boss would wake its own workers, one job each. @returns whether the database notifies */
  #listen(): () => boolean {
    const database = this.#boss.getDb();
    const listen = database.listen?.bind(database);
    let isListening = false;
    if (listen !== undefined) {
      database.listen = async (channel) => {
        const wake = (name: string) => this.#workers.get(name)?.wake();
        const handle = await listen(channel, wake, () => this.#wakeAll());
        isListening = true;
        return handle;
      };
    }
    return () => isListening;
  }

  #wakeAll(): void {
    for (const worker of this.#workers.values()) worker.wake();
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
    clearInterval(this.#poll);
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(timeoutMs)));
    await this.#boss.stop({ graceful: true, timeout: timeoutMs, close: true });
  }
}

function transactionOf(sql: Sql): ConnectionOptions['db'] {
  return { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) };
}
