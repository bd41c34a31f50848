import type { Subject } from '../../graph/subject.ts';

export type { Subject } from '../../graph/subject.ts';

/** How bad a finding is. An error stops a deployment. */
export const Severity = { info: 'info', warning: 'warning', error: 'error' } as const;
export type Severity = (typeof Severity)[keyof typeof Severity];

/** What a rule objects to. Never holds a secret. */
export interface Finding {
  /** Id of the rule. */
  rule: string;
  severity: Severity;
  subject: Subject;
  /** What is wrong, and why it fails. */
  message: string;
  /** What to do about it. */
  fix: string;
  /**
   * Accepted by the environment: it stops nothing. The severity is then `info`, and this has the rule's. The namespace is that
   * of the exception, below the environment's own.
   */
  exception?: { because: string; owner: string; until: string; severity: Severity; namespace?: string };
  /** Where it is explained: `docs/rules.md#<rule id>`. */
  docs: string;
}
