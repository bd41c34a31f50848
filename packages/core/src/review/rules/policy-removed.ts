import { subjectName } from '../../graph/subject.ts';
import { shortened } from '../../graph/values/cut.ts';
import { policyKey } from '../../graph/values/name-key.ts';
import { deletedPolicies, policyUses } from './policies.ts';
import type { ChangeRule } from './rule.ts';

/** How many of the parts that name a policy a message lists. */
const mostNamed = 10;

export const policyRemoved: ChangeRule = {
  id: 'policy-removed',
  severity: 'warning',
  about: 'A policy that is deleted while roles, groups, entities or users still name it.',
  check: ({ before, after }) => {
    const deleted = deletedPolicies(before, after);
    const removed = before.policies.filter(({ name }) => deleted.has(policyKey(name)));
    if (removed.length === 0) return [];
    const uses = Map.groupBy(policyUses(after), ({ name }) => name);
    return removed.flatMap(({ name }) => {
      const subjects = (uses.get(policyKey(name)) ?? []).map(({ subject: { field: _, ...subject } }) =>
        subjectName(subject),
      );
      if (subjects.length === 0) return [];
      return {
        subject: { type: 'policy' as const, name },
        message: `The policy is deleted, and still named by ${shortened(subjects, mostNamed)}. They lose what it gives, and its denials.`,
        fix: 'Take it from them first, or keep it.',
      };
    });
  },
};
