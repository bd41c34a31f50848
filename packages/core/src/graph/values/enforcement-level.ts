/**
 * What happens to the run if a task does not pass (docs/inside/specification.md A1, `task_result_enforcement_level`).
 */
export const EnforcementLevel = {
  /** The run stops before the next step. */
  mandatory: 'mandatory',
  /** The task is shown, and the run goes on. */
  advisory: 'advisory',
} as const;
export type EnforcementLevel = (typeof EnforcementLevel)[keyof typeof EnforcementLevel];
