/** How bad a finding is. An error stops a deployment. */
export const Severity = { info: 'info', warning: 'warning', error: 'error' } as const;
export type Severity = (typeof Severity)[keyof typeof Severity];

/** A part of a state, by its name. */
export interface Subject {
  type: 'service' | 'method' | 'role' | 'group' | 'alias' | 'policy' | 'message';
  /** Name of a role, group, alias or policy; path of a method; title of a message; address of a service. */
  name: string;
  /** Path of the auth method, for a role or an alias. */
  method?: string;
  /** Field of the model, for example `boundAudiences`. */
  field?: string;
}

/** What a rule objects to. Never holds a secret. */
export interface Finding {
  /** Id of the rule. */
  rule: string;
  severity: Severity;
  subject: Subject;
  /** What is wrong, and why it fails. */
  message: string;
  /** What to do about it. */
  mend: string;
  /** Where it is explained: `docs/rules.md#<rule id>`. */
  docs: string;
}
