import type { IncomingHttpHeaders } from 'node:http';
import { type JsonApiError, limits, receivedPayload, refusal, unprocessable } from '@gatehouse/core/run-task';
import { GatehouseError } from '@gatehouse/core/values';
import { Metrics } from '@gatehouse/host';
import pLimit from 'p-limit';
import { gaugeOpen, silent } from '../log.ts';
import { jsonApiAnswer, type Route } from '../route.ts';
import type { Database } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import {
  deliveryQueue,
  type IntegratorParts,
  type IntegratorTiming,
  largeDeliveryQueue,
  runDeliveryJob,
} from './delivery-job.ts';
import { DeliveryStatus, DeliveryStore } from './delivery-store.ts';
import { RequestStore } from './request-store.ts';
import type { Endpoint } from './review.ts';
import { verifyRequest } from './verify-request.ts';

export interface IntegratorArgs
  extends Pick<IntegratorParts, 'outbound' | 'review' | 'userAgent' | 'largestPlan'>,
    Partial<Pick<IntegratorParts, 'now' | 'log' | 'pageOf'>> {
  database: Database;
  queue: Queue;
  endpoints: readonly Endpoint[];
  metrics?: Metrics;
  timing?: Partial<IntegratorTiming>;
}

export const defaultIntegratorTiming: IntegratorTiming = {
  reviewMs: 8 * 60 * 1000,
  finalStatusMs: limits.finalStatusMs,
};

/** The answer to a request. Only 200 is an acknowledgement, and it has no content. */
interface Acknowledgement {
  status: 200 | 400 | 401 | 404 | 410 | 422;
  errors?: JsonApiError[];
}

/** Pauses before retries: short enough that a retry near the deadline still comes before it. */
const retryPauses = { retryDelaySeconds: 1, retryDelayMaxSeconds: 15 };
/** Workers and deliveries of one process. Each notification makes each worker query the queue, so there are few. */
const atOnce = { workers: 4, batch: 16 };
/** Most deliveries of one process that hold a plan at the same time. */
const mostReviewed = 12;
/** Workers and deliveries with a large plan. */
const fewAtOnce = { workers: 4, batch: 1 };

/**
 * The side of the protocol that judges: it takes run task requests, answers at once, then reviews and calls back. Every
 * acknowledged request ends in one final result, whichever process dies at whatever point:
 *
 *     1 signature verified · 2 parsed · 3 stored, with its job · 4 answered 200 ·
 *     5 plan fetched · 6 reviewed, `running` with outcomes · 7 result stored ·
 *     8 final result sent (`sendResult` in delivery-job.ts) · 9 end stored, token erased
 */
export class Integrator {
  readonly #parts: IntegratorParts;
  readonly #database: Database;
  readonly #queue: Queue;
  readonly #stopping = new AbortController();
  readonly #requests: RequestStore;

  constructor(args: IntegratorArgs) {
    const { database, queue, now = Date.now, log = silent, metrics = new Metrics(), endpoints } = args;
    const answeredHelp = 'Callbacks sent, by status of the answer.';
    const answered = metrics.counter('gatehouse_callbacks_total', answeredHelp, ['answer']);
    const endedHelp = 'Run task requests that ended.';
    const ended = metrics.counter('gatehouse_deliveries_ended_total', endedHelp, ['status']);
    gaugeOpen(metrics, database, 'deliveries', 'Run task requests');
    this.#parts = {
      ...args,
      now,
      log,
      deliveries: new DeliveryStore(database, now),
      reviewing: pLimit(mostReviewed),
      endpoints: new Map(endpoints.map((endpoint) => [endpoint.name, endpoint])),
      timing: { ...defaultIntegratorTiming, ...args.timing },
      stopping: this.#stopping.signal,
      onAnswer: (answer) => answered.inc({ answer }),
      onEnd: (status) => ended.inc({ status }),
      sendLarge: (delivery) => queue.send(database, largeDeliveryQueue, { delivery }),
    };
    this.#database = database;
    this.#queue = queue;
    this.#requests = new RequestStore({ ...this.#parts, database, queue });
  }

  /** Starts to work. The queue must have been started. */
  async start(): Promise<void> {
    const work = (parts: IntegratorParts) => async (job: { delivery: string }) => {
      await this.#requests.awaitPause();
      await runDeliveryJob(parts, job);
    };
    const large = { ...this.#parts, largestPlan: undefined, reviewing: pLimit(fewAtOnce.workers) };
    await this.#queue.work(largeDeliveryQueue, work(large), { ...retryPauses, ...fewAtOnce });
    await this.#queue.work(deliveryQueue, work(this.#parts), { ...retryPauses, ...atOnce });
  }

  /** Aborts the reviews in progress: the queue hands them to the next process. */
  stop(): void {
    this.#stopping.abort(new Error('the integrator stops'));
  }

  /**
   * Answers one run task request. An acknowledged request is stored.
   *
   * @param body the raw bytes, which the signature covers
   */
  async receive(name: string, headers: IncomingHttpHeaders, body: Uint8Array): Promise<Acknowledgement> {
    const endpoint = this.#parts.endpoints.get(name);
    if (endpoint === undefined) return refusal(404, 'not found', 'There is no such endpoint.');
    // Steps 1 and 2.
    const verdict = verifyRequest(endpoint.keys, headers, body);
    if ('errors' in verdict) return verdict;
    if ('isVerification' in verdict) return { status: 200 };
    const { payload } = verdict;
    try {
      // A request that can never be called back is not accepted.
      this.#parts.outbound.check(payload.task_result_callback_url);
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      const detail = `task_result_callback_url: ${error.parts.what}`;
      return { status: 422, errors: [unprocessable(detail, '/task_result_callback_url')] };
    }
    // Steps 3 and 4.
    const status = await this.#requests.store({ endpoint: name, payload });
    if (status === DeliveryStatus.givenUp || status === DeliveryStatus.unsure) {
      return refusal(410, 'gone', 'Nothing more is sent for this task.');
    }
    return { status: 200 };
  }

  /**
   * Retries a result that its platform has not accepted yet, at once.
   *
   * @throws GatehouseError `delivery_unknown`, `delivery_not_waiting`
   */
  async retry(id: string): Promise<void> {
    await this.#database.transaction(async (sql) => {
      const [row] = await sql.query('SELECT status FROM deliveries WHERE id::text = $1', [id]);
      if (row === undefined) {
        throw new GatehouseError('delivery_unknown');
      }
      if (row['status'] !== DeliveryStatus.reviewed) {
        throw new GatehouseError('delivery_not_waiting', { given: row['status'] as string });
      }
      await this.#queue.send(sql, deliveryQueue, { delivery: id });
    });
  }
}

/** The integrator's HTTP routes. */
export function integratorRoutes(integrator: Integrator): Route[] {
  return [
    {
      method: 'POST',
      path: '/integrator/:endpoint',
      description: {
        summary: 'Ask for a review: the request of a run task',
        security: 'none',
        body: receivedPayload,
        answers: { 200: 'empty' },
      },
      async answer({ params, headers, body }) {
        const { status, errors } = await integrator.receive(params['endpoint'] ?? '', headers, body);
        return errors === undefined ? { status } : jsonApiAnswer(status, errors);
      },
    },
  ];
}
