import type { DeploymentResult, Engine } from '@gatehouse/engine';
import { type ApprovedRequest, type OperationResult, type Sink, up } from '../deployment/deployment.ts';
import { type OfStack, ofEach } from '../open/many-stacks.ts';

/** An `up` that has ended with its plan, or that waits with it for a yes or a no. */
export type StartedUp =
  | { plan: DeploymentResult; go(isApplied: boolean): Promise<OperationResult> }
  | { ended: OperationResult };

/**
 * Begins an `up`, up to the question whether to apply its plan. The same `up` goes on after the answer: it applies what
 * was reviewed, or fails.
 *
 * @throws GatehouseError what `up` throws before that question
 */
export async function beginUp(
  request: Omit<ApprovedRequest, 'approval'>,
  engine: Engine,
  sink: Omit<Sink, 'confirm'>,
): Promise<StartedUp> {
  const planned = Promise.withResolvers<DeploymentResult>();
  const turn = Promise.withResolvers<boolean>();
  const confirm = (plan: DeploymentResult) => {
    planned.resolve(plan);
    return turn.promise;
  };
  const result = up({ ...request, approval: 'ask' }, engine, { ...sink, confirm });
  const go = (isApplied: boolean) => {
    turn.resolve(isApplied);
    return result;
  };
  return await Promise.race([
    result.then((ended) => ({ ended })),
    planned.promise.then((plan) => ({ plan, go })),
  ]);
}

/** One of several stacks whose plan a person approved. */
export interface ApprovedStack {
  stack: string;
  /** Applies the plan, or ends without. */
  go(isApplied: boolean): Promise<OperationResult>;
}

/**
 * Applies the first stack alone, and the others only if that succeeds. Once too many failed, no further one is begun: its
 * outcome is `declined`.
 *
 * @param parallel how many of the others at a time
 * @param maxFailures how many may fail before no other is begun
 */
export async function applyInTurn(
  waiting: readonly ApprovedStack[],
  { parallel, maxFailures }: { parallel: number; maxFailures: number },
): Promise<OfStack<OperationResult>[]> {
  let failures = 0;
  let most = maxFailures;
  const work = async ({ go }: ApprovedStack): Promise<OperationResult> => {
    if (failures >= most) return await go(false);
    try {
      const result = await go(true);
      if (result.outcome !== 'succeeded') failures += 1;
      return result;
    } catch (error) {
      failures += 1;
      throw error;
    }
  };
  try {
    const alone = await ofEach(waiting.slice(0, 1), 1, work);
    if (failures > 0) most = 0;
    return [...alone, ...(await ofEach(waiting.slice(1), parallel, work))];
  } finally {
    // No stack keeps waiting, whatever went wrong.
    for (const { go } of waiting) void go(false).catch(() => {});
  }
}
