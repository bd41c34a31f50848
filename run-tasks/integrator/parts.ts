import type { Log } from '../log.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import type { Endpoint, Review } from './review.ts';

/** What the jobs of an integrator work with. */
export interface Parts {
  database: Database;
  queue: Queue;
  /** Calls platforms, at the addresses that each request brings. */
  outbound: Outbound;
  endpoints: ReadonlyMap<string, Endpoint>;
  review: Review;
  /** For example `gatehouse/1.2.3 (run task integrator)`. */
  userAgent: string;
  /** Address of a delivery's page: the `url` of a result that has none. Without pages there is none. */
  pageOf?: (delivery: string) => string;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Log;
  timing: IntegratorTiming;
  /** Aborted when the integrator stops. */
  stopping: AbortSignal;
  /** Called with the status that answered each callback, or `none`. */
  onAnswer: (answer: string) => void;
  /** Called for each delivery that ends. */
  onEnd: (status: 'delivered' | 'given_up') => void;
}

/** Milliseconds after the request. */
export interface IntegratorTiming {
  /** A longer review fails. Leaves time for more than one callback. */
  reviewMs: number;
  /** Nothing is sent after this. */
  finalStatusMs: number;
}

/** The jobs that review requests, and those that send results to platforms. */
export const queues = { review: 'integrator-review', callback: 'integrator-callback' } as const;
