import { planStack } from '../../packages/cli/src/deployment/deployment.ts';
import { reviewDeployment } from '../../packages/cli/src/review/review-stack.ts';
import type { Review, ReviewOptions } from '../../packages/core/src/review/review.ts';
import type { Engine } from '../../packages/engine/src/engine.ts';
import type { Stack } from '../../packages/engine/src/stack.ts';

/** Plans a stack and reviews the plan. */
export async function reviewStack(
  stack: Stack,
  engine: Engine,
  options: ReviewOptions,
  env: NodeJS.ProcessEnv,
): Promise<Review> {
  return reviewDeployment(stack, await planStack(stack, engine, env), options, env);
}
