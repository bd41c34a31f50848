import type { AccessChange } from '../access/access-change.ts';
import { subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

/** Of the places where somebody can. */
const mostNamed = 10;

export const rule: ChangeRule = {
  id: 'administration-gained',
  severity: 'error',
  about: 'Somebody who can newly write policies, roles or auth methods.',
  check: ({ before }, { access }) =>
    access.changes.flatMap((change) => {
      const where = [
        ...change.paths.flatMap(({ path, administers }) => (administers ? [JSON.stringify(path)] : [])),
        ...(change.administersBy ?? []).map(
          ({ group, path }) => `${JSON.stringify(path)} in group ${JSON.stringify(group)}`,
        ),
      ];
      if (where.length === 0) return [];
      return {
        subject: subjectOf(change),
        // Where there was no way in at all, somebody sets the service up.
        severity:
          before.roles.length + before.aliases.length === 0 ? ('warning' as const) : ('error' as const),
        message: `${who(change)} can decide who signs in, and with what, by ${where.slice(0, mostNamed).join(', ')}${where.length > mostNamed ? ` and ${where.length - mostNamed} more` : ''}: that is an owner of the service.`,
        fix: 'Give administration to few, by a group that is watched. If it is wanted, turn the rule off with the reason.',
      };
    }),
};

function who({ kind }: AccessChange): string {
  return kind === 'opened' || kind === 'widened' ? 'Whoever newly gets in' : 'Whoever comes by it';
}
