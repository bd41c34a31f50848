import { planResources } from '../../core/review/plan/read-plan.ts';
import { type Review, type ReviewOptions, reviewPlan } from '../../core/review/review.ts';
import type { DeploymentResult } from '../../engine/engine.ts';
import type { Stack } from '../../engine/stack.ts';
import { digest } from '../description/digest.ts';

/** Reviews what an engine has planned. The plan is read as anybody's preview: one reader, one judgement. */
export function reviewDeployment(stack: Stack, deployment: DeploymentResult, options: ReviewOptions): Review {
  const review = reviewPlan(planResources(digest(stack, deployment, { unchanged: true })), options);
  return { ...review, tool: 'gatehouse' };
}
