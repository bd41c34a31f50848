import { z } from 'zod';
import { day } from './values/day.ts';
import { ownNamespace } from './values/namespace-path.ts';

const text = (what: string) => z.string().trim().min(1, `give ${what}`);

/** A finding that is accepted: one rule, one subject, until an end. */
export const exceptionSettings = z.strictObject({
  /** Id of the rule: docs/rules.md. */
  rule: text('the id of a rule'),
  /** What the finding is about, as a report names it: `role ci/build`, `policy deploy`. */
  subject: text('what the finding is about, as in `role ci/build`'),
  /** Where the finding is: one of `namespaces`. Defaults to the environment's own. */
  namespace: ownNamespace,
  because: text('the reason'),
  /** Who answers for it. */
  owner: text('who answers for it'),
  /** The last day on which it counts, in UTC: at most a year ahead. */
  until: day,
});
/** A finding that an environment accepts, with its owner and end. */
export type Exception = z.output<typeof exceptionSettings>;
