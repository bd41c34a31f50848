import { z } from 'zod';
import { policyNames } from '../graph/resources/policy.ts';
import { duration } from '../graph/values/duration.ts';

/** When a person confirms a plan before it is applied. */
export const Confirm = {
  always: 'always',
  /** When principals gain access by the plan, or when that is unknown. */
  whenGained: 'whenGained',
  never: 'never',
} as const;
export type Confirm = (typeof Confirm)[keyof typeof Confirm];

const day = 24 * 60 * 60;
const time = (least: number, most: number) =>
  duration
    .refine((seconds) => seconds >= least && seconds <= most, `must be ${least} to ${most} seconds`)
    .optional();

/** How long a gated deployment waits for a run task. In seconds. */
export const runTaskTiming = {
  /** From the acceptance of the request to a final status. Defaults to `10m`. */
  timeout: time(1, day),
  /** In total, if each `running` update is to restart `timeout`. Defaults to none: updates restart nothing. */
  totalTimeout: time(1, day),
  /** How long the request is retried until it is accepted. Defaults to `10m`. */
  retryFor: time(1, day),
  /** Before the second request; doubled for each further one, up to a minute. Defaults to `1s`. */
  retryPause: time(1, 60),
};

/** How the stack is deployed through a platform: docs/deploy.md. */
export const deploymentSettings = z.strictObject({
  /** When a person confirms the plan before it is applied. Defaults to `never`. */
  confirm: z.enum(Confirm).default(Confirm.never),
  /** Whether an answer of the review that leaves something open is an error. Defaults to false. */
  complete: z.boolean().optional(),
  /**
   * Policy of the secrets service whose holders may accept a mandatory run task that did not pass. Defaults to none: such
   * a task stops the run.
   */
  acceptWith: z
    .string()
    .regex(/^[^\s,]{1,128}$/, 'must be the name of one policy')
    .optional(),
  /**
   * Policies of the token with which the platform plans; it only reads. The list of the base revision counts. Defaults to the
   * policies of the token that applies.
   */
  planPolicies: policyNames.refine((names) => names.length > 0, 'name at least one policy').optional(),
  ...runTaskTiming,
});
