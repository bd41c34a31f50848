/**
 * How grave findings of rules are for teams that want more to stop a deployment. A rule that a preset does not name has its own
 * severity; one that is `disabled` next to it stays off.
 */
export const rulePresets = {
  strict: { 'denial-removed': 'error', 'policy-removed': 'error' },
} as const satisfies Record<string, Record<string, 'error' | 'warning'>>;

export type RulePreset = keyof typeof rulePresets;

export const rulePresetNames = Object.keys(rulePresets) as RulePreset[];
