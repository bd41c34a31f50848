import type { Severity } from '@gatehouse/core/review';
import type { FinalResult, Outcome } from '@gatehouse/core/run-task';
import type { Stage } from '@gatehouse/core/values';
import type { StoredPayload } from './delivery-store.ts';

/** An address for run task requests: `/integrator/<name>`. */
export interface Endpoint {
  /** Letters, digits, `-`, `_`; at most 64. */
  name: string;
  /** Keys that requests may be signed with; several during a rotation. Without keys every request is accepted. */
  keys: readonly string[];
  /** Findings of this severity or worse fail the task. Defaults to `error`. */
  failOn?: Severity;
  /** The stack that it checks, if any. */
  stack?: string;
}

/** The input of a review: a run task request without its access token. */
export interface ReviewRequest {
  endpoint: Endpoint;
  stage: Stage;
  payload: StoredPayload;
  /** The plan's JSON, not parsed yet; undefined at a stage without a plan. */
  plan: Uint8Array | undefined;
  /** At pre_apply: this run's plan as reviewed at post_plan, if it was. */
  reviewed: { digest: string } | undefined;
}

/** A review's result, with the digest of the plan that it judged, if it judged one. */
export interface ReviewResult extends FinalResult {
  digest?: string;
}

/**
 * What an integrator's endpoints do.
 *
 * @param onOutcomes shows outcomes during the review, in addition to those of the result
 * @param signal aborted when the time is up, or the process stops
 * @throws GatehouseError its message becomes the message of a failed result
 */
export type RunReviewer = (
  request: ReviewRequest,
  onOutcomes: (outcomes: Outcome[]) => Promise<void>,
  signal: AbortSignal,
) => Promise<ReviewResult>;
