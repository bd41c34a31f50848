import { subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'identity-can-be-chosen',
  severity: 'warning',
  about: 'A role that newly takes people for whom they say they are.',
  check: (_, { access }) =>
    access.changes.flatMap((change) =>
      change.also
        .filter(({ about, gains }) => about === 'identity' && gains === 'some')
        .map(({ words }) => ({
          subject: subjectOf(change),
          message: `${words}. People can change that claim themselves, and so take over the identity of others.`,
          fix: 'Use a claim that the provider sets and never gives to somebody else: sub, or an object id.',
        })),
    ),
};
