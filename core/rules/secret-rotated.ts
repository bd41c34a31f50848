import { subjectText } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'secret-rotated',
  severity: 'info',
  about: 'A secret that changes.',
  check: ({ rotated }) =>
    rotated.map((subject) => ({
      subject,
      message: `A secret of ${subjectText(subject)} changes. Its value cannot be compared with what the provider has: a wrong one is noticed at the next sign-in.`,
      fix: 'Have the provider accept both, apply, sign in once, and only then end the old one.',
    })),
};
