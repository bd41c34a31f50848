import type { Severity } from '../../core/rules/finding.ts';

/** An address that run tasks are sent to: `/integrator/<name>`. */
export interface Endpoint {
  /** Letters, digits, `-`, `_`; at most 64. */
  name: string;
  /** Keys that requests may be signed with; several while one is rotated. None: every request is taken. */
  keys: readonly string[];
  /** From which severity on a finding fails the task. Defaults to `error`. */
  failOn?: Severity;
  /** The stack that it is for, where there is one at hand. */
  stack?: string;
}
