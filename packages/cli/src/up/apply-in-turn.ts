import type { Review } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { OperationResult } from '../deployment/deployment.ts';
import { ofEach } from '../open/many-stacks.ts';
import type { OfStack } from '../open/stack-outcomes.ts';
import type { DeploymentOptions } from './deployment-options.ts';
import type { DeploymentOutput } from './deployment-output.ts';
import { PlanJudge } from './plan-judge.ts';
import type { StackPlan, WaitingOperation } from './stack-run.ts';

/** A stack whose plan waits for its turn. */
export type WaitingStack = Pick<OfStack<unknown>, 'stack' | 'place'> & StackPlan & WaitingOperation;

/**
 * Applies plans that are approved: that of the first stack alone, and the others only if that succeeds. Once too many failed, no
 * further one is started: its outcome is `declined`. `--parallel` says how many of the stacks after the first are applied at a time,
 * and `--max-failures` how many of these may fail.
 */
export async function applyInTurn(
  waiting: readonly WaitingStack[],
  options: DeploymentOptions,
  output: DeploymentOutput,
): Promise<OfStack<OperationResult>[]> {
  const { parallel = 1, maxFailures = 1 } = options;
  const queues = new Map<string, Promise<OperationResult>>();
  let failures = 0;
  let most = maxFailures;
  const work = async (plan: WaitingStack): Promise<OperationResult> => {
    if (failures >= most) return await plan.go(false);
    try {
      const result = await applyAfterOthers(plan, queues, options, output);
      if (result.outcome !== 'succeeded') failures += 1;
      return result;
    } catch (error) {
      failures += 1;
      throw error;
    }
  };
  const alone = await ofEach(waiting.slice(0, 1), 1, work);
  if (failures > 0) most = 0;
  return [...alone, ...(await ofEach(waiting.slice(1), parallel, work))];
}

/**
 * Applies a plan once the others of its service and namespace are applied.
 *
 * @param queues the deployment that started last, by service and namespace
 * @throws GatehouseError `review_outdated` where another one has changed what the review says
 */
function applyAfterOthers(
  plan: WaitingStack,
  queues: Map<string, Promise<OperationResult>>,
  options: DeploymentOptions,
  output: DeploymentOutput,
): Promise<OperationResult> {
  const { stack, place, go } = plan;
  const key = place === undefined ? stack : `${place.address.origin} ${place.namespace ?? ''}`;
  const previous = queues.get(key);
  const apply = async () => {
    if (previous !== undefined) {
      await previous.catch(() => {});
      await requireSameVerdict(plan, options);
    }
    output.applying(stack);
    const result = await go(true);
    output.applied(stack, result);
    return result;
  };
  const applied = apply();
  queues.set(key, applied);
  return applied;
}

/** Another stack has changed the service after the review of this plan. @throws GatehouseError `review_outdated` */
async function requireSameVerdict(
  { stack, opened, plan, review }: WaitingStack,
  options: DeploymentOptions,
): Promise<void> {
  const reviewNow = await new PlanJudge(opened, options).review(plan);
  if (review !== undefined && verdictOf(reviewNow) === verdictOf(review)) return;
  throw new GatehouseError('review_outdated', { given: stack });
}

/** The part of a review that a person approves. */
function verdictOf({ gains, losses, taken, findings, access }: Review): string {
  return JSON.stringify([gains, losses, taken, findings, access]);
}
