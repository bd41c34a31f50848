import type { PgBoss } from 'pg-boss';
import type { Database, Sql } from './database.ts';

/** Seconds without a sign of life after which another process takes a job over. pg-boss knows no shorter time. */
const heartbeatSeconds = 10;

/** How often a job is tried. The work itself decides when it is over: by the deadline of what it works for. */
const retryLimit = 1000;

export interface QueueSettings {
  /** Seconds before the first repetition; doubled for each further one, with jitter. Defaults to 1. */
  retryDelaySeconds?: number;
  /** Seconds beyond which the pause grows no more. Defaults to 60. */
  retryDelayMaxSeconds?: number;
  /** Jobs of this queue that one process works on at once. Defaults to 4. */
  concurrency?: number;
}

export interface SendOptions {
  /** Not before this instant. Defaults to now. */
  at?: Date;
}

/**
 * Durable work: what is sent in a transaction is done at least once after it, by one process at a time, whichever
 * process dies meanwhile. A handler that throws is called again later, so every handler is idempotent.
 */
export class Queue {
  readonly #boss: PgBoss;
  readonly #isShared: boolean;
  readonly #onError: (error: Error) => void;

  /** @param onError told what fails besides the handlers themselves; the queue goes on */
  constructor(database: Database, onError: (error: Error) => void = () => {}) {
    this.#boss = database.newBoss();
    this.#isShared = database.isShared;
    this.#onError = onError;
  }

  async start(): Promise<void> {
    this.#boss.on('error', this.#onError);
    await this.#boss.start();
    // Nobody else can be at work here: what was active belonged to a process that is gone.
    if (!this.#isShared) {
      await this.#boss
        .getDb()
        .executeSql(`UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE state = 'active'`);
    }
  }

  /** Makes the queue and begins to work on it. */
  async work<Data extends object>(
    name: string,
    handler: (data: Data) => Promise<void>,
    settings: QueueSettings = {},
  ): Promise<void> {
    await this.#boss.createQueue(name, {
      notify: true,
      retryLimit,
      retryBackoff: true,
      retryDelay: settings.retryDelaySeconds ?? 1,
      retryDelayMax: settings.retryDelayMaxSeconds ?? 60,
      heartbeatSeconds,
      expireInSeconds: 60 * 60,
      deleteAfterSeconds: 24 * 60 * 60,
    });
    await this.#boss.work<Data>(
      name,
      {
        localConcurrency: settings.concurrency ?? 4,
        pollingIntervalSeconds: 1,
        notifyPollingIntervalSeconds: 5,
      },
      async ([job]) => {
        if (job !== undefined) await handler(job.data);
      },
    );
  }

  /** @param sql the transaction that the job belongs to: it is there when that is committed, and never else */
  async send(sql: Sql, name: string, data: object, { at }: SendOptions = {}): Promise<void> {
    await this.#boss.send(name, data, {
      db: { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) },
      ...(at === undefined ? {} : { startAfter: at }),
    });
  }

  /** Waits for the jobs at work, up to a time, and hands back what is not done then. */
  async stop(timeoutMs = 10_000): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: timeoutMs, close: true });
  }
}
