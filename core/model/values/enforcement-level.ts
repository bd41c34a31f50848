/** What a task that does not pass means for its run (interface.md A1, `task_result_enforcement_level`). */
export const EnforcementLevel = {
  /** The run stops before the next step. */
  mandatory: 'mandatory',
  /** It is shown, and the run goes on. */
  advisory: 'advisory',
} as const;
export type EnforcementLevel = (typeof EnforcementLevel)[keyof typeof EnforcementLevel];
