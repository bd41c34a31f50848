import { parsePlanJson, planResources } from '../../core/review/plan/read-plan.ts';
import { reviewResult } from '../../core/review/reports/outcomes.ts';
import { type Review, type ReviewOptions, reviewPlan } from '../../core/review/review.ts';
import type { Severity } from '../../core/rules/finding.ts';
import { planDigest } from '../../core/run-task/plan-digest.ts';
import type { FinalResult } from '../../core/run-task/result.ts';
import { gainedTexts } from './gained-texts.ts';

/** A plan and how to judge it: plain data, which can be sent to a thread. */
export interface PlanToReview {
  /** JSON. */
  plan: Uint8Array;
  options: ReviewOptions;
  /** Findings of this severity or worse fail it. */
  failOn: Severity;
}

export interface ReviewedPlan {
  result: FinalResult;
  digest: string;
  gains: Review['gains'];
  /** Who gains what, or what is missing to judge it, in words. */
  gained: string[];
}

/** Reviews a plan from its bytes to the result. @throws GatehouseError what `parsePlanJson` and `planResources` throw */
export function reviewPlanBytes({ plan, options, failOn }: PlanToReview): ReviewedPlan {
  const json = parsePlanJson(Buffer.from(plan).toString('utf8'));
  const review = reviewPlan(planResources(json), options);
  return {
    ...{ result: reviewResult(review, failOn), digest: planDigest(json) },
    ...{ gains: review.gains, gained: gainedTexts(review) },
  };
}
