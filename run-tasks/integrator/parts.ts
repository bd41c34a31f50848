import type { LimitFunction } from 'p-limit';
import type { Log } from '../log.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Endpoint, Review } from './review.ts';

/** What the jobs of an integrator work with. */
export interface Parts {
  deliveries: DeliveryStore;
  /** Calls platforms, at the addresses that each request brings. */
  outbound: Outbound;
  endpoints: ReadonlyMap<string, Endpoint>;
  review: Review;
  /** How many deliveries may hold a plan in memory. */
  reviewing: LimitFunction;
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

/** Its jobs take a delivery to its end. */
export const deliveryQueue = 'integrator-delivery';
