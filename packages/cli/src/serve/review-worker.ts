// The thread of a PlanReviewer: each message is a `PlanToReview`, the reply a `ReviewAnswer`.
import { parentPort } from 'node:worker_threads';
import { GatehouseError } from '@gatehouse/core/values';
import { type PlanToReview, type ReviewedPlan, reviewPlanned } from './plan-review.ts';

/** The review, or why there is none: one of the properties is set. */
export interface ReviewAnswer {
  reviewed?: ReviewedPlan;
  /** The parts of a GatehouseError, whose class would be lost on the way. */
  refused?: GatehouseError['parts'];
  failed?: Error;
}

parentPort?.on('message', async (plan: PlanToReview) => parentPort?.postMessage(await answerTo(plan)));

async function answerTo(plan: PlanToReview): Promise<ReviewAnswer> {
  try {
    return { reviewed: await reviewPlanned(plan) };
  } catch (error) {
    if (!(error instanceof GatehouseError)) return { failed: error as Error };
    const { cause: _, ...refused } = error.parts;
    return { refused };
  }
}
