import type { ReviewSettings } from './review-stack.ts';

/** What a plan is reviewed with that is of no stack: nothing is turned off, and nothing has a line. */
export function settingsWithoutStack(): ReviewSettings {
  return { options: { now: BigInt(Date.now()) * 1_000_000n }, positionOf: () => undefined };
}
