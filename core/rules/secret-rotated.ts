import { subjectText } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'secret-rotated',
  severity: 'info',
  about: 'A secret that changes.',
  check: ({ rotated }) =>
    rotated.map((subject) => ({
      subject,
      message: `A secret of ${subjectText(subject)} changes. Its value cannot be compared with the provider’s: a wrong one shows only at the next sign-in.`,
      fix: 'Have the provider accept both, apply, sign in once, then revoke the old one.',
    })),
};
