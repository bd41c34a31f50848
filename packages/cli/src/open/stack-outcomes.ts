import type { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import type { StackPlace } from './open-environment.ts';

/** A stack, and the environment in which its service is talked to. */
export interface OpenedStack {
  stack: Stack;
  env: NodeJS.ProcessEnv;
}

/** The result of the work for a stack, or why there is none. */
export type OfStack<Result> = { stack: string; place?: StackPlace } & (
  | { result: Result }
  | { problem: GatehouseError }
);

/** The results of the stacks that have one. */
export function resultsOf<Result>(outcomes: readonly OfStack<Result>[]): Result[] {
  return outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
}
