import type { Log } from '../log.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { Database } from '../store/database.ts';
import type { Queue } from '../store/queue.ts';
import type { Endpoint, Review } from './review.ts';

/** What the jobs of an integrator work with. */
export interface Parts {
  database: Database;
  queue: Queue;
  /** Calls platforms. Their addresses come with each request. */
  outbound: Outbound;
  endpoints: ReadonlyMap<string, Endpoint>;
  review: Review;
  /** A product token with the version, then a description in parentheses. */
  userAgent: string;
  /** Milliseconds since 1970. */
  now: () => number;
  log: Log;
  timing: IntegratorTiming;
  /** Aborted when the integrator stops. */
  stopping: AbortSignal;
  /** Told the answer of every callback: its status, or `none`. */
  onAnswer: (answer: string) => void;
  /** Told of each delivery that ends. */
  onEnd: (status: 'delivered' | 'given_up') => void;
}

/** Milliseconds from the request on. */
export interface IntegratorTiming {
  /** A review that takes longer fails. Leaves time to call back more than once. */
  reviewMs: number;
  /** After this time nothing is sent. */
  finalStatusMs: number;
}

/** The jobs that review requests, and those that send results to platforms. */
export const queues = { review: 'integrator-review', callback: 'integrator-callback' } as const;
