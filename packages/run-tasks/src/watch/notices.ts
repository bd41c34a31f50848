import { createHash } from 'node:crypto';
import { sign, signatureHeaders } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import type { Log } from '../log.ts';
import { Outbound } from '../outbound/outbound.ts';
import type { Sql } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import type { WatchStore } from './watch-store.ts';
import type { Notice } from './watched-stack.ts';

export interface NoticesArgs {
  /** Address that takes notices by POST. The operator named it, so it may be on a private network. */
  url: string;
  /** Signs them as requests of run tasks are. Defaults to no signature. */
  key?: string;
  queue: Queue;
  store: WatchStore;
  /** Address of a stack's page; undefined if there are no pages. */
  pageOf: (id: string) => string | undefined;
  userAgent: string;
  log: Log;
}

interface NoticeJob extends Notice {
  stack: string;
  number: number;
}

const retry = { retryDelaySeconds: 5, retryDelayMaxSeconds: 600, workers: 1, batch: 8 };

/** Sends each notice until its address accepts it, or until a later notice of the same stack replaces it. */
export class Notices {
  readonly #args: NoticesArgs;
  readonly #outbound: Outbound;
  /** Processes that notify another address have another queue. The address itself may be a secret. */
  readonly #queueName: string;

  /** @throws GatehouseError `address_refused` */
  constructor(args: NoticesArgs) {
    this.#args = args;
    const { url } = args;
    this.#outbound = new Outbound({ allowedOrigins: URL.canParse(url) ? [url] : [] });
    this.#outbound.check(url);
    this.#queueName = `watch-notice-${createHash('sha256').update(url).digest('hex').slice(0, 16)}`;
  }

  /** Starts to send. The queue must have been started. */
  async start(): Promise<void> {
    await this.#args.queue.work(this.#queueName, (job: NoticeJob) => this.#send(job), retry);
  }

  /** Adds a notice to the queue. @param sql the transaction that stores what it is about */
  async add(sql: Sql, notice: NoticeJob): Promise<void> {
    await this.#args.queue.send(sql, this.#queueName, notice);
  }

  async #send({ stack, number, outcome, since, summary }: NoticeJob): Promise<void> {
    const { url, key, store, pageOf, userAgent, log } = this.#args;
    if ((await store.notices(stack)) !== number) return;
    const page = pageOf(stack);
    const notice = {
      stack,
      outcome,
      since: new Date(since).toISOString(),
      summary,
      ...(page && { url: page }),
    };
    const body = Buffer.from(JSON.stringify(notice));
    const signature = sign(body, key);
    try {
      const { status } = await this.#outbound.request({
        method: 'POST',
        url,
        body,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': String(body.length),
          'User-Agent': userAgent,
          ...(key !== undefined && Object.fromEntries(signatureHeaders.map((name) => [name, signature]))),
        },
      });
      if (status < 200 || status > 299) throw new Error(`answered with ${status}`);
    } catch (error) {
      const why = error instanceof GatehouseError ? error.parts.what : (error as Error).message;
      log.warn({ stack, why }, 'a notice was not accepted');
      throw error;
    }
  }
}
