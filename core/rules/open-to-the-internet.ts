import { isWriting } from '../access/administration.ts';
import { openToInternet } from '../access/sign-in/public-issuers.ts';
import { isTokenRole } from '../access/sign-in/trust.ts';
import { kindById } from '../model/kinds/kinds.ts';
import { roleOf, subjectOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'open-to-the-internet',
  severity: 'warning',
  about:
    'A role that anybody in the world can sign in to, and that newly gives more than the policy default.',
  check: ({ after }, { access, kindOf }) =>
    access.changes.flatMap((change) => {
      const { gains, policies, paths, unread } = change;
      const found = roleOf(change, after);
      if (gains === 'none' || found === undefined) return [];
      const why = openToInternet(found.role, found.method);
      if (why === undefined || [...policies.gained, ...policies.kept].every((name) => name === 'default'))
        return [];
      // A pipeline's jobs come by themselves and in numbers; people are asked by their provider.
      const byToken = isTokenRole(found.role);
      const kind = kindOf(found.role.method);
      const writes = unread.length > 0 || paths.some(({ gained }) => gained.some(isWriting));
      return {
        subject: subjectOf(change),
        severity: writes || byToken ? ('error' as const) : ('warning' as const),
        message: `Anybody can sign in: ${why}. They get ${policies.gained.concat(policies.kept).join(', ')}.`,
        fix:
          (kind && kindById(kind).keepsStrangersOut) ??
          'Bind what only your own people or workloads have: an organization, a project, a subject.',
      };
    }),
};
