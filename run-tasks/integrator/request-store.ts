import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedPayload } from '../../core/run-task/payload.ts';
import type { Database, Sql } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import { DeliveryStatus } from './delivery.ts';

/** Requests that one transaction stores at most. */
const mostAtOnce = 16;
/** Milliseconds without a request after which there is a pause. */
const pauseMs = 20;
/** Milliseconds for which work gives way where there is none. */
const patienceMs = 20_000;

export interface RequestStoreArgs {
  database: Database;
  queue: Queue;
  now: () => number;
  /** Of the jobs that review what is stored. */
  reviewQueue: string;
  /** Milliseconds from the request to its deadline. */
  finalStatusMs: number;
  /** Milliseconds that never go back. Defaults to those since the process began. */
  elapsed?: () => number;
}

/** A run task request that is good. */
export interface GoodRequest {
  endpoint: string;
  payload: ReceivedPayload;
}

interface Waiting extends GoodRequest {
  /** What tells a request from others, and a retried one from none. */
  key: string;
  resolve: (status: DeliveryStatus) => void;
  reject: (error: unknown) => void;
}

/**
 * Stores run task requests, each once, with the job that reviews it. One that comes alone is stored at once; those that
 * come meanwhile share the next transaction, as most of its cost is for each transaction and not for each row.
 */
export class RequestStore {
  readonly #args: RequestStoreArgs;
  readonly #elapsed: () => number;
  #waiting: Waiting[] = [];
  /** Settles when all that has come is stored; undefined where nothing is being stored. */
  #storing: Promise<void> | undefined;
  /** When the last request came, and when the first one since there was a pause. */
  #last = Number.NEGATIVE_INFINITY;
  #first = Number.NEGATIVE_INFINITY;

  constructor(args: RequestStoreArgs) {
    this.#args = args;
    this.#elapsed = args.elapsed ?? (() => performance.now());
  }

  /** @returns the status of the request's delivery, once it is on record */
  store({ endpoint, payload }: GoodRequest): Promise<DeliveryStatus> {
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
   * Lets requests go first, which are to be answered at once, before work that has minutes: settles when they pause, and
   * not at all later than 20 seconds after they began to come without a pause.
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
      // PGlite works in this thread, and a transaction of its is one breath: what has come to the sockets is read first.
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
      // What is wrong with one is no reason to refuse the others.
      await Promise.all(requests.map((request) => this.#storeTogether([request])));
    }
  }

  /** @returns the status of those that were there before; a retried one may bring a newer token */
  async #insert(sql: Sql, requests: Waiting[]): Promise<Map<string, DeliveryStatus>> {
    const { queue, reviewQueue } = this.#args;
    // In one order in all processes: two that store the same requests wait for each other, and not in a circle.
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
    if (jobs.length > 0) await queue.sendAll(sql, reviewQueue, jobs);
    const isNew = new Set(added.map((row) => keyOf(row['endpoint'], row['task_result_id'], row['stage'])));
    const statuses = new Map<string, DeliveryStatus>();
    for (const request of sorted) {
      if (isNew.delete(request.key)) continue;
      statuses.set(request.key, await this.#renewToken(sql, request));
    }
    return statuses;
  }

  #row({ endpoint, payload: given }: GoodRequest): unknown[] {
    const { access_token: token, ...payload } = given;
    const at = this.#args.now();
    return [
      ...[endpoint, payload.task_result_id, payload.stage, payload.run_id ?? null],
      ...[JSON.stringify(payload), token, DeliveryStatus.received],
      ...[new Date(at), new Date(at + this.#args.finalStatusMs)],
    ];
  }

  async #renewToken(sql: Sql, { endpoint, payload }: GoodRequest): Promise<DeliveryStatus> {
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

/** `($1, $2, …)`, the next row going on where the one before ended. */
function placeholders(row: unknown[], at: number): string {
  return `(${row.map((_, column) => `$${at * row.length + column + 1}`).join(', ')})`;
}
