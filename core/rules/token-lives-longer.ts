import { subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'token-lives-longer',
  severity: 'warning',
  about: 'Tokens that live longer, can be used more often, or are taken after they expired.',
  check: (_, { access }) =>
    access.changes.flatMap((change) =>
      change.also
        .filter(({ about, gains }) => about === 'lifetime' && gains !== 'none')
        .map(({ words }) => ({
          subject: subjectOf(change),
          message: `Tokens are worth more than before: ${words}. Whoever loses the right to sign in keeps their access that much longer.`,
          fix: 'Keep it as short as the work allows.',
        })),
    ),
};
