import type { Position } from '@gatehouse/core/environment';
import type { Subject } from '@gatehouse/core/graph';
import type { ReviewOptions } from '@gatehouse/core/review';

/** What a stack brings to a review: the rules it turns off, its service, and where things are declared. */
export interface ReviewSettings {
  options: ReviewOptions;
  positionOf(subject: Subject, namespace?: string): Position | undefined;
}

/** The settings for a plan without a stack: no rule is turned off, and no finding has a line. */
export function settingsWithoutStack(): ReviewSettings {
  return { options: { now: BigInt(Date.now()) * 1_000_000n }, positionOf: () => undefined };
}
