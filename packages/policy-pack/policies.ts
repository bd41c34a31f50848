import { allRules, type Severity } from '@gatehouse/core/review';

/** What a violation does in an engine: `advisory` is shown, `mandatory` stops the deployment. */
export type Level = 'advisory' | 'mandatory' | 'disabled';

export interface PackPolicy {
  name: string;
  description: string;
  severity: Severity;
}

/** The part of a review that no rule reports. */
export const accessPolicy: PackPolicy = {
  name: 'who-gains-who-loses',
  description: 'Who gains and who loses access by a change.',
  severity: 'info',
};

/** Limits a run to the steps of signed reviews. It reports nothing unless its configuration names reviewed steps. */
export const reviewedPolicy: PackPolicy = {
  name: 'step-unplanned',
  description: 'Only what was reviewed is created and updated.',
  severity: 'error',
};

/** One policy per rule, so that each can have a level of its own. */
export const policies: PackPolicy[] = [
  ...allRules.map(({ id, about, severity }) => ({ name: id, description: about, severity })),
  accessPolicy,
  reviewedPolicy,
];

/** Policies that compare with the state before the change. */
export const comparing: readonly string[] = [
  ...allRules.flatMap(({ id, compares }) => (compares ? id : [])),
  accessPolicy.name,
];

/** The default level of a policy: an error stops a deployment, as it does in `gatehouse up`. */
export function levelOf(severity: Severity): Level {
  return severity === 'error' ? 'mandatory' : 'advisory';
}
