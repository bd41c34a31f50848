import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedPayload } from '@gatehouse/core/run-task';
import type { Database, Sql } from '../store/database.ts';
import { grouped, placeholders } from '../store/grouped.ts';
import type { Queue } from '../store/queue.ts';
import { deliveryQueue, type IntegratorParts } from './delivery-job.ts';
import { DeliveryStatus } from './delivery-store.ts';

/** Milliseconds without a request that count as a pause. */
const pauseMs = 20;
/** Milliseconds that work waits for a pause at most, counted from the beginning of a burst. */
const patienceMs = 5000;
/** Milliseconds without a request after which the next request begins a new burst. */
const restMs = 1000;

interface RequestStoreArgs extends Pick<IntegratorParts, 'now'> {
  database: Database;
  queue: Queue;
  timing: Pick<IntegratorParts['timing'], 'finalStatusMs'>;
  /** A monotonic clock, in milliseconds. Defaults to the time since the process started. */
  elapsed?: () => number;
}

interface ValidRequest {
  endpoint: string;
  payload: ReceivedPayload;
}

/** Stores run task requests, each once, with the job that takes it to its end. */
export class RequestStore {
  readonly #args: RequestStoreArgs;
  readonly #elapsed: () => number;
  /** When the last request came. */
  #last = Number.NEGATIVE_INFINITY;
  /** When the burst began: the first request after a rest. */
  #first = Number.NEGATIVE_INFINITY;
  /** Requests that are not answered yet. */
  #storing = 0;

  constructor(args: RequestStoreArgs) {
    this.#args = args;
    this.#elapsed = args.elapsed ?? (() => performance.now());
  }

  /** @returns the status of the request's delivery, once it is stored */
  async store(request: ValidRequest): Promise<DeliveryStatus> {
    const came = this.#elapsed();
    if (came - this.#last >= restMs) this.#first = came;
    this.#last = came;
    this.#storing += 1;
    try {
      return await this.#storeOne(request);
    } finally {
      this.#storing -= 1;
    }
  }

  /**
   * Puts a burst of requests, which must be answered at once, before work, which has minutes: settles when requests
   * pause, or five seconds after a burst began.
   */
  async awaitPause(): Promise<void> {
    const isBurst = (now: number) =>
      (this.#storing > 0 || now - this.#last < pauseMs) && now - this.#first < patienceMs;
    while (isBurst(this.#elapsed())) await sleep(pauseMs, undefined, { ref: false });
  }

  readonly #storeOne = grouped((requests: ValidRequest[]) =>
    this.#args.database.transaction(async (sql) => {
      const statuses = await this.#insert(sql, requests);
      return requests.map((request) => statuses.get(requestKey(request)) ?? DeliveryStatus.received);
    }),
  );

  /** @returns the status of requests that were already stored; a repeated one may bring a newer token */
  async #insert(sql: Sql, requests: ValidRequest[]): Promise<Map<string, DeliveryStatus>> {
    // Every process uses the same order, so that two processes with the same requests cannot deadlock.
    const sorted = requests
      .map((request) => ({ ...request, key: requestKey(request) }))
      .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const rows = sorted.map((request) => this.#row(request));
    const added = await sql.query(
      `INSERT INTO deliveries
         (endpoint, task_result_id, stage, run_id, payload, access_token, status, received_at, deadline)
       VALUES ${placeholders(rows)}
       ON CONFLICT (endpoint, task_result_id, stage) DO NOTHING
       RETURNING id, endpoint, task_result_id, stage`,
      rows.flat(),
    );
    const jobs = added.map(({ id }) => ({ delivery: id }));
    if (jobs.length > 0) await this.#args.queue.sendAll(sql, deliveryQueue, jobs);
    const isNew = new Set(added.map(({ endpoint, ...payload }) => requestKey({ endpoint, payload })));
    const statuses = new Map<string, DeliveryStatus>();
    for (const request of sorted) {
      if (isNew.delete(request.key)) continue;
      statuses.set(request.key, await this.#renewToken(sql, request));
    }
    return statuses;
  }

  #row({ endpoint, payload: { access_token: token, ...payload } }: ValidRequest): unknown[] {
    const at = this.#args.now();
    return [
      endpoint,
      payload.task_result_id,
      payload.stage,
      payload.run_id ?? null,
      JSON.stringify(payload),
      token,
      DeliveryStatus.received,
      new Date(at),
      new Date(at + this.#args.timing.finalStatusMs),
    ];
  }

  async #renewToken(sql: Sql, { endpoint, payload }: ValidRequest): Promise<DeliveryStatus> {
    const [delivery] = await sql.query(
      `UPDATE deliveries SET access_token = CASE WHEN ended_at IS NULL THEN $4 END
       WHERE endpoint = $1 AND task_result_id = $2 AND stage = $3 RETURNING status`,
      [endpoint, payload.task_result_id, payload.stage, payload.access_token],
    );
    return delivery?.['status'] as DeliveryStatus;
  }
}

/** A key that is equal for repetitions of a request. */
function requestKey({ endpoint, payload }: { endpoint: unknown; payload: Record<string, unknown> }): string {
  return JSON.stringify([endpoint, payload['task_result_id'], payload['stage']]);
}
