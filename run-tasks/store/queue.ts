import type { ConnectionOptions, PgBoss } from 'pg-boss';
import type { Database, Sql } from './database.ts';

/** Seconds without a sign of life after which another process takes a job over. pg-boss knows no shorter time. */
const heartbeatSeconds = 10;

/** How often a job is tried. The work itself decides when it is over: by the deadline of what it works for. */
const retryLimit = 1000;

/** Milliseconds that a failure takes to be stored: the pause begins then. */
const lookLaterMs = 100;

export interface QueueSettings {
  /** Seconds before the first repetition, up to twice as many by chance; doubled for each further one. Defaults to 1. */
  retryDelaySeconds?: number;
  /** Seconds beyond which the pause grows no more. Defaults to 60. */
  retryDelayMaxSeconds?: number;
  /** Jobs of this queue that one process works on at once. Defaults to 4. */
  concurrency?: number;
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
    const pause = {
      firstSeconds: settings.retryDelaySeconds ?? 1,
      mostSeconds: settings.retryDelayMaxSeconds ?? 60,
    };
    await this.#boss.createQueue(name, {
      notify: true,
      retryLimit,
      retryBackoff: true,
      retryDelay: pause.firstSeconds,
      retryDelayMax: pause.mostSeconds,
      heartbeatSeconds,
      expireInSeconds: 60 * 60,
      deleteAfterSeconds: 24 * 60 * 60,
    });
    for (let count = 0; count < (settings.concurrency ?? 4); count += 1)
      await this.#addWorker(name, handler, pause);
  }

  /** One that works on one job after the other. What it is told of and when wakes it; the polling is for what it missed. */
  async #addWorker<Data extends object>(
    name: string,
    handler: (data: Data) => Promise<void>,
    pause: { firstSeconds: number; mostSeconds: number },
  ): Promise<void> {
    let id = '';
    const look = () => this.#boss.notifyWorker(id);
    id = await this.#boss.work<Data>(
      name,
      { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 5 },
      async ([job]) => {
        if (job === undefined) return;
        // Where there was one there may be more: it was told of all of them at once.
        look();
        try {
          await handler(job.data);
        } catch (error) {
          // Nobody tells of a repetition. pg-boss pauses for this long, or up to half of it less.
          const seconds = Math.min(pause.mostSeconds, pause.firstSeconds * 2 ** (job.retryCount + 1));
          setTimeout(look, seconds * 1000 + lookLaterMs).unref();
          throw error;
        }
      },
    );
  }

  /** @param sql the transaction that the job belongs to: it is there when that is committed, and never else */
  async send(sql: Sql, name: string, data: object): Promise<void> {
    await this.#boss.send(name, data, { db: transactionOf(sql) });
  }

  /** Sends several jobs of one queue, as `send` does one. */
  async sendAll(sql: Sql, name: string, data: readonly object[]): Promise<void> {
    await this.#boss.insert(
      name,
      data.map((one) => ({ data: one })),
      { db: transactionOf(sql) },
    );
  }

  /** Waits for the jobs at work, up to a time, and hands back what is not done then. */
  async stop(timeoutMs = 10_000): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: timeoutMs, close: true });
  }
}

function transactionOf(sql: Sql): ConnectionOptions['db'] {
  return { executeSql: async (text, values) => ({ rows: await sql.query(text, values) }) };
}
