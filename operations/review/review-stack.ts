import type { Review, ReviewOptions } from '../../core/review/review.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Stack } from '../../engine/stack.ts';
import { planStack } from '../plan-stack.ts';
import { reviewDeployment } from './review-deployment.ts';

/**
 * Plans a stack and reviews the plan.
 *
 * @throws GatehouseError what `planStack` throws
 */
export async function reviewStack(
  stack: Stack,
  engine: Engine,
  options: ReviewOptions,
  env: NodeJS.ProcessEnv,
): Promise<Review> {
  return reviewDeployment(stack, await planStack(stack, engine, env), options);
}
