import { roleNamed } from '../model/parts-by-name.ts';
import { type RoleFields, roleFields } from '../model/resources/role.ts';
import { methodSubject, roleSubject, subjectText } from '../model/subject.ts';
import { isEmpty } from '../model/values/json.ts';
import type { ChangeRule } from './rule.ts';

export const secretRotated: ChangeRule = {
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

const isSet = (value: unknown) => !isEmpty(value) && value !== 0;
const stickyFields = (Object.keys(roleFields) as (keyof RoleFields)[]).filter(
  (name) => 'sticky' in roleFields[name],
);

export const stickyField: ChangeRule = {
  id: 'sticky-field',
  severity: 'warning',
  about:
    'A field of a role, or the tuning of an auth method, that is removed, and that the official plugin leaves unchanged.',
  check: ({ before, after }) => [
    ...after.roles.flatMap((role) => {
      const was = roleNamed(before.roles, role);
      if (was === undefined || was.roleType !== role.roleType) return [];
      return stickyFields
        .filter((field) => isSet(was[field]) && !isSet(role[field]))
        .map((field) => ({
          subject: roleSubject(role, field),
          message: `${field} is cleared. Gatehouse’s own plugin clears it; the official one (7.8.0) does not send it, so the role keeps it.`,
          fix: 'With the official plugin, clear it by hand or replace the role; gatehouse drift shows what stuck.',
        }));
    }),
    ...after.methods.flatMap((method) => {
      const was = before.methods.find(({ path, type }) => path === method.path && type === method.type);
      if (isEmpty(was?.tune) || !isEmpty(method.tune)) return [];
      return [
        {
          subject: { ...methodSubject(method), field: 'tune' },
          message: `tune is removed (${Object.keys(was?.tune ?? {}).join(', ')}). Gatehouse’s own plugin resets it; the official one (7.8.0) does not send it, so the method keeps it.`,
          fix: 'With the official plugin, give the settings the values they should have, instead of removing them.',
        },
      ];
    }),
  ],
};
