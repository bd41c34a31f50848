import { method } from '../../graph/resources/auth-method.ts';
import { fitsOfficialRole } from '../../graph/resources/bound-claims.ts';
import { type Role, stickyFields } from '../../graph/resources/role.ts';
import { roleSubject, subjectKey, subjectName } from '../../graph/subject.ts';
import { isUnset } from '../../graph/values/json.ts';
import type { ChangeRule } from './rule.ts';

export const secretRotated: ChangeRule = {
  id: 'secret-rotated',
  severity: 'info',
  about: 'A secret that changes.',
  check: ({ rotated }) =>
    rotated.map((subject) => ({
      subject,
      message: `A secret of ${subjectName(subject)} changes. A wrong value shows only at the next sign-in.`,
      fix: 'Let the provider accept both secrets, apply, sign in once, then revoke the old one.',
    })),
};

export const roleReplaced: ChangeRule = {
  id: 'role-replaced',
  severity: 'info',
  about: 'A role that is deleted and created again.',
  check: ({ before, after, remade = [] }) =>
    remade.flatMap((subject) => {
      const isReplaced = (role: Role) => subjectKey(roleSubject(role)) === subjectKey(subject);
      const roleBefore = before.roles.find(isReplaced);
      const roleAfter = after.roles.find(isReplaced);
      const why = roleBefore && roleAfter && whyReplaced(roleBefore, roleAfter);
      if (why === undefined) return [];
      return [
        {
          subject,
          message: `The role is deleted and created again: ${why}. Sign-ins fail in between.`,
          fix: 'Apply it when a failed sign-in does no harm, and check that the role is there afterwards.',
        },
      ];
    }),
};

function whyReplaced(roleBefore: Role, roleAfter: Role): string | undefined {
  if (roleBefore.roleType !== roleAfter.roleType) return 'its type changes';
  if (fitsOfficialRole(roleBefore.boundClaims ?? {}) !== fitsOfficialRole(roleAfter.boundClaims ?? {}))
    return 'the types of its bound claims need another resource';
  const emptied = stickyFields.filter((field) => !isUnset(roleBefore[field]) && isUnset(roleAfter[field]));
  return emptied.length === 0 ? undefined : `an update would leave ${emptied.join(', ')}`;
}

export const stickyField: ChangeRule = {
  id: 'sticky-field',
  severity: 'warning',
  about: 'A removed role field or auth method tuning that the official plugin leaves unchanged.',
  check: ({ left = [] }) =>
    left.map((subject) =>
      subject.type === method.type
        ? {
            subject,
            message:
              'The field is removed. The official plugin (7.8.0) does not send that, so the method keeps it; Gatehouse’s own plugin resets it.',
            fix: 'Set the intended value instead of removing it: `0s`, `hidden` and `default-service` are the defaults.',
          }
        : {
            subject,
            message: 'The field stays as it is: the plugin’s update does not send it once it is emptied.',
            fix: 'Replace the role, or clear the field by hand.',
          },
    ),
};
