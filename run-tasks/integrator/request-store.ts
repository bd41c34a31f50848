import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedPayload } from '../../core/run-task/payload.ts';
import type { Sql } from '../store/database.ts';
import { DeliveryStatus } from './delivery.ts';
import { type Parts, queues } from './parts.ts';

/** The most requests that one transaction stores. */
const mostAtOnce = 16;
/** Milliseconds without a request that count as a pause. */
const pauseMs = 20;
/** The longest that work waits for a pause, in milliseconds. */
const patienceMs = 20_000;

interface RequestStoreArgs extends Pick<Parts, 'database' | 'queue' | 'now'> {
  timing: Pick<Parts['timing'], 'finalStatusMs'>;
  /** A monotonic clock, in milliseconds. Defaults to the time since the process started. */
  elapsed?: () => number;
}

interface ValidRequest {
  endpoint: string;
  payload: ReceivedPayload;
}

interface Waiting extends ValidRequest {
  /** A repeated request has the same key. */
  key: string;
  resolve: (status: DeliveryStatus) => void;
  reject: (error: unknown) => void;
}

/**
 * Stores run task requests, each once, with the job that reviews it. A request that comes alone is stored at once; those
 * that arrive meanwhile share the next transaction, as a transaction costs more than its rows.
 */
export class RequestStore {
  readonly #args: RequestStoreArgs;
  readonly #elapsed: () => number;
  #waiting: Waiting[] = [];
  /** Settles when all waiting requests are stored; undefined while nothing is being stored. */
  #storing: Promise<void> | undefined;
  /** When the last request came, and the first one after the last pause. */
  #last = Number.NEGATIVE_INFINITY;
  #first = Number.NEGATIVE_INFINITY;

  constructor(args: RequestStoreArgs) {
    this.#args = args;
    this.#elapsed = args.elapsed ?? (() => performance.now());
  }

  /** @returns the status of the request's delivery, once it is stored */
  store({ endpoint, payload }: ValidRequest): Promise<DeliveryStatus> {
    const came = this.#elapsed();
    if (came - this.#last >= pauseMs) this.#first = came;
    this.#last = came;
    return new Promise((resolve, reject) => {
      const key = keyOf(endpoint, payload.task_result_id, payload.stage);
      this.#waiting.push({ endpoint, payload, key, resolve, reject });
      this.#storing ??= this.#storeWaiting();
    });
  }

  /**
   * Puts requests, which must be answered at once, before work, which has minutes: settles when requests pause, or 20
   * seconds after the last pause.
   */
  async giveWay(): Promise<void> {
    while (this.#isComing()) await sleep(pauseMs, undefined, { ref: false });
  }

  #isComing(): boolean {
    const now = this.#elapsed();
    const isPause = this.#storing === undefined && now - this.#last >= pauseMs;
    return !isPause && now - this.#first < patienceMs;
  }

  async #storeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      // PGlite blocks this thread for a whole transaction: first read what has arrived on the sockets.
      await setImmediate();
      await this.#storeTogether(this.#waiting.splice(0, mostAtOnce));
    }
    this.#storing = undefined;
  }

  async #storeTogether(requests: Waiting[]): Promise<void> {
    try {
      const statuses = await this.#args.database.transaction((sql) => this.#insert(sql, requests));
      for (const { key, resolve } of requests) resolve(statuses.get(key) ?? DeliveryStatus.received);
    } catch (error) {
      if (requests.length === 1) return requests[0]?.reject(error);
      // Find out which one it was, and store the others.
      await Promise.all(requests.map((request) => this.#storeTogether([request])));
    }
  }

  /** @returns the status of requests that were already stored; a repeated one may bring a newer token */
  async #insert(sql: Sql, requests: Waiting[]): Promise<Map<string, DeliveryStatus>> {
    const { queue } = this.#args;
    // In the same order in every process: two that store the same requests cannot deadlock.
    const sorted = requests.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const rows = sorted.map((request) => this.#row(request));
    const added = await sql.query(
      `INSERT INTO deliveries
         (endpoint, task_result_id, stage, run_id, payload, access_token, status, received_at, deadline)
       VALUES ${rows.map(placeholders).join(', ')}
       ON CONFLICT (endpoint, task_result_id, stage) DO NOTHING
       RETURNING id, endpoint, task_result_id, stage`,
      rows.flat(),
    );
    const jobs = added.map(({ id }) => ({ delivery: id }));
    if (jobs.length > 0) await queue.sendAll(sql, queues.review, jobs);
    const isNew = new Set(added.map((row) => keyOf(row['endpoint'], row['task_result_id'], row['stage'])));
    const statuses = new Map<string, DeliveryStatus>();
    for (const request of sorted) {
      if (isNew.delete(request.key)) continue;
      statuses.set(request.key, await this.#renewToken(sql, request));
    }
    return statuses;
  }

  #row({ endpoint, payload: given }: ValidRequest): unknown[] {
    const { access_token: token, ...payload } = given;
    const at = this.#args.now();
    return [
      ...[endpoint, payload.task_result_id, payload.stage, payload.run_id ?? null],
      ...[JSON.stringify(payload), token, DeliveryStatus.received],
      ...[new Date(at), new Date(at + this.#args.timing.finalStatusMs)],
    ];
  }

  async #renewToken(sql: Sql, { endpoint, payload }: ValidRequest): Promise<DeliveryStatus> {
    const [known] = await sql.query(
      `UPDATE deliveries SET access_token = CASE WHEN ended_at IS NULL THEN $4 END
       WHERE endpoint = $1 AND task_result_id = $2 AND stage = $3 RETURNING status`,
      [endpoint, payload.task_result_id, payload.stage, payload.access_token],
    );
    return known?.['status'] as DeliveryStatus;
  }
}

function keyOf(...parts: unknown[]): string {
  return JSON.stringify(parts);
}

/** `($1, $2, …)`; the numbers of a row continue those of the row before. */
function placeholders(row: unknown[], at: number): string {
  return `(${row.map((_, column) => `$${at * row.length + column + 1}`).join(', ')})`;
}
