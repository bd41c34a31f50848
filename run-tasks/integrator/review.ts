import type { Severity } from '../../core/rules/finding.ts';
import type { Outcome } from '../../core/run-task/outcome.ts';
import type { Stage } from '../../core/run-task/stage.ts';
import type { FinalResult, StoredPayload } from './delivery.ts';

/** An address for run task requests: `/integrator/<name>`. */
export interface Endpoint {
  /** Letters, digits, `-`, `_`; at most 64. */
  name: string;
  /** Keys that requests may be signed with; several while one is rotated. Without keys every request is accepted. */
  keys: readonly string[];
  /** Findings of this severity or worse fail the task. Defaults to `error`. */
  failOn?: Severity;
  /** The stack that it is for, if there is one. */
  stack?: string;
}

/** What a review gets to judge: everything but the access token. */
export interface ReviewRequest {
  endpoint: Endpoint;
  stage: Stage;
  payload: StoredPayload;
  /** The plan's JSON; undefined at pre_plan. */
  plan: unknown;
  /** What tells this plan from others. */
  digest: string | undefined;
  /** At pre_apply: the plan of this run that was reviewed at post_plan; undefined where none was. */
  reviewed: { digest: string } | undefined;
}

/**
 * What an integrator's endpoints do.
 *
 * @param onOutcomes shows outcomes while the review goes on; those of the result are further ones
 * @param signal when its time is over, or the process stops
 * @throws GatehouseError its message becomes that of a failed result
 */
export type Review = (
  request: ReviewRequest,
  onOutcomes: (outcomes: Outcome[]) => Promise<void>,
  signal: AbortSignal,
) => Promise<FinalResult>;
