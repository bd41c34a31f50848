import type { LimitFunction } from 'p-limit';
import type { Log } from '../log.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { DeliveryStore } from './delivery-store.ts';
import type { Endpoint, Review } from './review.ts';

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
  now: () => number;
  log: Log;
  timing: IntegratorTiming;
  stopping: AbortSignal;
  /** Called with the status that answered each callback, or `none`. */
  onAnswer: (answer: string) => void;
  onEnd: (status: 'delivered' | 'given_up') => void;
}

/** Milliseconds after the request. */
export interface IntegratorTiming {
  /** A longer review fails. Leaves time for more than one callback. */
  reviewMs: number;
  /** Nothing is sent after this. */
  finalStatusMs: number;
}

export const deliveryQueue = 'integrator-delivery';
