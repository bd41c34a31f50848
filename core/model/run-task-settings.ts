import { z } from 'zod';
import { EnforcementLevel } from './values/enforcement-level.ts';
import { Stage } from './values/stage.ts';

/** A run task of a stack: who is asked, and when, before a deployment goes on. Its key is a secret of its own. */
export const runTaskSettings = z.strictObject({
  /** Unique in the stack. It is what `gatehouse:runTaskKeys` and the pages name. */
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'up to 64 letters, digits, hyphens and underscores are needed'),
  /** Where the requests go. A path leads to the integrator that the platform itself serves. */
  url: z.union(
    [
      z
        .url({ protocol: /^https?$/ })
        .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'it may hold no user and password'),
      z.string().regex(/^\/integrator\/[A-Za-z0-9_-]{1,64}$/),
    ],
    'an http or https URL without user and password is needed, or /integrator/<endpoint>',
  ),
  /** Where in a run it is asked. */
  stages: z
    .array(z.enum(Stage))
    .min(1, 'at least one stage is needed')
    .refine((stages) => new Set(stages).size === stages.length, 'a stage is there twice'),
  /** What it means that it does not pass. Defaults to `mandatory`: the run stops. */
  enforcement: z.enum(EnforcementLevel).default(EnforcementLevel.mandatory),
  /** Stacks that it is for: one list may serve several. Defaults to every stack that declares it. */
  environments: z.array(z.string().min(1)).min(1, 'at least one stack is needed').optional(),
});
export type RunTaskSettings = z.output<typeof runTaskSettings>;
