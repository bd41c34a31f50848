import type { Position } from '../../core/review/reports/sarif.ts';
import type { ReviewOptions } from '../../core/review/review.ts';
import type { Subject } from '../../core/rules/finding.ts';
import { ruleOptions } from '../../core/rules/rule-options.ts';
import type { Stack } from '../../engine/stack.ts';
import { openEnvironment } from '../open-environment.ts';
import { readDeployer } from './read-deployer.ts';
import { stackPositions } from './stack-positions.ts';

/** What a stack says for a review: the rules it turns off, its service, where things are declared. */
export interface ReviewSettings {
  options: ReviewOptions;
  positionOf(subject: Subject): Position | undefined;
}

/**
 * @param stack the stack that the plan is for; without one nothing is turned off, and nothing has a line
 * @throws GatehouseError what `openEnvironment` throws
 */
export async function reviewSettings(
  stack: Stack | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ReviewSettings> {
  const now = BigInt(Date.now()) * 1_000_000n;
  const environment = stack && openEnvironment(stack, env);
  if (stack === undefined || environment === undefined)
    return { options: { now }, positionOf: () => undefined };
  const deployer = await readDeployer(environment, env);
  return {
    options: { now, ...ruleOptions(environment), ...(deployer === undefined ? {} : { deployer }) },
    positionOf: await stackPositions(stack),
  };
}
