import { roleSubject } from '../model/subject.ts';
import { formatDuration } from '../model/values/duration.ts';
import type { ChangeRule } from './rule.ts';

const limited = ['ttl', 'tokenMaxTtl', 'tokenExplicitMaxTtl'] as const;

export const rule: ChangeRule = {
  id: 'ttl-raised',
  severity: 'warning',
  about: 'A role whose tokens live longer than before.',
  check: ({ before, after }) =>
    after.roles.flatMap((role) => {
      const was = before.roles.find(({ method, name }) => method === role.method && name === role.name);
      if (was === undefined) return [];
      const raised = limited.flatMap((field) => {
        const [old, now] = [was[field] || undefined, role[field] || undefined];
        if (old === undefined || (now !== undefined && now <= old)) return [];
        const to = now === undefined ? 'the service’s own limit' : formatDuration(now);
        return [{ field, what: `${field} goes from ${formatDuration(old)} to ${to}` }];
      });
      const period = role.tokenPeriod || 0;
      if (period > (was.tokenPeriod || 0)) {
        const what = `tokenPeriod is ${formatDuration(period)}, so a token can be renewed without end`;
        raised.push({ field: 'tokenPeriod' as 'ttl', what });
      }
      return raised.map(({ field, what }) => ({
        subject: roleSubject(role, field),
        message: `Tokens of the role live longer: ${what}. Whoever loses the right to sign in keeps their access that much longer.`,
        fix: 'Keep it as short as the work allows.',
      }));
    }),
};
