import { subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'bound-removed',
  severity: 'warning',
  about: 'A role or method that drops a bound, or accepts more.',
  check: (_, { access }) =>
    access.changes.flatMap((change) => {
      const { kind, principals, because } = change;
      if (kind !== 'widened' || !['role', 'method'].includes(principals.kind) || because === undefined)
        return [];
      return {
        subject: subjectOf(change),
        message: `More people or workloads can sign in than before: ${because}.`,
        fix: 'Check that all of them should. Otherwise bind it again, or add a separate role.',
      };
    }),
};
