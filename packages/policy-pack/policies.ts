import { allRules, type Severity } from '@gatehouse/core/review';

/** How an engine takes a violation: it is shown, or it stops the deployment. */
export type Level = 'advisory' | 'mandatory' | 'disabled';

export interface Policy {
  name: string;
  description: string;
  severity: Severity;
}

/** What a review says in addition to the rules. */
export const accessPolicy: Policy = {
  name: 'who-gains-who-loses',
  description: 'Who gains and who loses access by a change.',
  severity: 'info',
};

/** Holds a run to the steps of signed reviews. It says nothing unless its configuration names them. */
export const reviewedPolicy: Policy = {
  name: 'step-unplanned',
  description: 'Only what was reviewed is created and updated.',
  severity: 'error',
};

/** One policy a rule, so that each can be set to another level. */
export const policies: Policy[] = [
  ...allRules.map(({ id, about, severity }) => ({ name: id, description: about, severity })),
  accessPolicy,
  reviewedPolicy,
];

/** Rules that compare with what was before. */
export const comparing: readonly string[] = [
  ...allRules.flatMap(({ id, compares }) => (compares ? id : [])),
  accessPolicy.name,
];

/** The level that a policy has unless it is set: an error stops a deployment, as it does in `gatehouse up`. */
export function levelOf(severity: Severity): Level {
  return severity === 'error' ? 'mandatory' : 'advisory';
}
