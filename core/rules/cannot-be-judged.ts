import { bearingOf } from '../access/bearing.ts';
import { type Subject, subjectText } from '../model/subject.ts';
import { subjectOfWay } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

/** Fields that only say how long tokens live: not to know one is no reason to stop. */
const isGrave = ({ type, field }: Subject) => bearingOf(type, field) === 'access';

export const rule: ChangeRule = {
  id: 'cannot-be-judged',
  severity: 'error',
  about: 'What a plan leaves unknown, or a policy that cannot be read.',
  check: ({ unknown }, { access }) => [
    ...unknown.map((subject) => ({
      subject,
      ...(isGrave(subject) ? {} : { severity: 'warning' as const }),
      message: `${subject.field === undefined ? 'The result' : `The ${subject.field}`} of ${subjectText(subject)} is not told: it is hidden, or known only after the change is applied. So it cannot be judged.`,
      fix: 'Check it after the change with gatehouse drift and gatehouse explain.',
    })),
    ...access.changes.flatMap((change) =>
      change.uncertain.map((missing) => ({
        subject: subjectOfWay(change),
        ...(change.gains === 'unknown' ? {} : { severity: 'warning' as const }),
        message: `Whether anybody gains or loses by it cannot be judged: it is not known ${missing}.`,
        fix: 'Put what is missing into the plan, or look at it yourself.',
      })),
    ),
  ],
};
