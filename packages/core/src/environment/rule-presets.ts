/**
 * Severities of rules for teams that want more findings to stop a deployment. A rule that a preset does not name keeps its
 * own severity; a rule that the stack has `disabled` stays off.
 */
export const rulePresets = {
  strict: { 'denial-removed': 'error', 'policy-removed': 'error' },
} as const satisfies Record<string, Record<string, 'error' | 'warning'>>;

export type RulePreset = keyof typeof rulePresets;

export const rulePresetNames = Object.keys(rulePresets) as RulePreset[];
