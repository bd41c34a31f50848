import { GatehouseError } from '../../core/model/values/errors.ts';
import type { StepOperation } from '../engine.ts';
import type { CheckFailure } from '../plugins/plugin.ts';

/** The inputs were refused by the plugin. */
export function checkError(failures: CheckFailure[]): GatehouseError {
  return new GatehouseError({
    code: 'resource_invalid',
    what: failures
      .map(({ property, reason }) => (property === '' ? reason : `${property}: ${reason}`))
      .join('; '),
    fix: 'Correct these properties of the resource.',
  });
}

/** It would have to be deleted, and is protected. */
export function protectedError(urn: string, why: string): GatehouseError {
  return new GatehouseError({
    code: 'resource_protected',
    what: `a protected resource cannot be deleted, and ${why}`,
    given: urn,
    fix: 'Remove `protect` from the resource in the program and run `gatehouse up`, then try again.',
  });
}

/** A step could not be taken: what was tried, and what the plugin or the service said. */
export function stepError(op: StepOperation, error: unknown): GatehouseError {
  if (error instanceof GatehouseError) return error;
  return new GatehouseError({
    code: 'step_failed',
    what: `${op} failed: ${error instanceof Error ? error.message : String(error)}`,
    fix: 'Everything else that was done is recorded. Fix the cause and run the command again.',
    cause: error,
  });
}
