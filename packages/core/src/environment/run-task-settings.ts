import { z } from 'zod';
import { EnforcementLevel } from '../graph/values/enforcement-level.ts';
import { Stage } from '../graph/values/stage.ts';
import { runTaskTiming } from './deployment-settings.ts';

/** A run task of a stack: the address that a deployment asks, and when. Its key is a separate secret. */
export const runTaskSettings = z.strictObject({
  /** Unique in the stack. Used in `gatehouse:runTaskKeys` and on the pages. */
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores'),
  /** Where requests go. A path means the platform's own integrator. */
  url: z.union(
    [
      z
        .url({ protocol: /^https?$/ })
        .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'must not contain a user or password'),
      z.string().regex(/^\/integrator\/[A-Za-z0-9_-]{1,64}$/),
    ],
    'must be an http or https URL without user and password, or /integrator/<endpoint>',
  ),
  /** When in a run it is asked. */
  stages: z
    .array(z.enum(Stage))
    .min(1, 'must have at least one stage')
    .refine((stages) => new Set(stages).size === stages.length, 'lists a stage twice'),
  /** What happens if it does not pass. Defaults to `mandatory`: the run stops. */
  enforcement: z.enum(EnforcementLevel).default(EnforcementLevel.mandatory),
  /** Stacks it applies to, if several share the list. Defaults to every stack that declares it. */
  environments: z.array(z.string().min(1)).min(1, 'must have at least one stack').optional(),
  /** Each defaults to what `gatehouse:deployments` says. */
  ...runTaskTiming,
});
/** The run tasks of an environment. */
export type RunTaskSettings = z.output<typeof runTaskSettings>;
