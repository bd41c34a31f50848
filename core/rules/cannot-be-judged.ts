import { subjectText } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'cannot-be-judged',
  severity: 'warning',
  about: 'What a plan leaves unknown.',
  check: ({ unknown }) =>
    unknown.map((subject) => ({
      subject,
      message: `${subject.field === undefined ? 'What becomes' : `The ${subject.field}`} of ${subjectText(subject)} is known only when it is applied: it cannot be judged before.`,
      fix: 'Review it after the change, with gatehouse drift and gatehouse explain.',
    })),
};
