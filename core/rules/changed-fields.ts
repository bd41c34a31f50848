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
      message: `A secret of ${subjectText(subject)} changes. A wrong value shows only at the next sign-in.`,
      fix: 'Let the provider accept both secrets, apply, sign in once, then revoke the old one.',
    })),
};

const isSet = (value: unknown) => !isEmpty(value) && value !== 0;
const stickyFields = (Object.keys(roleFields) as (keyof RoleFields)[]).filter(
  (name) => 'sticky' in roleFields[name],
);

export const stickyField: ChangeRule = {
  id: 'sticky-field',
  severity: 'warning',
  about: 'A removed role field or auth method tuning that the official plugin leaves unchanged.',
  check: ({ before, after }) => [
    ...after.roles.flatMap((role) => {
      const was = roleNamed(before.roles, role);
      if (was === undefined || was.roleType !== role.roleType) return [];
      return stickyFields
        .filter((field) => isSet(was[field]) && !isSet(role[field]))
        .map((field) => ({
          subject: roleSubject(role, field),
          message: `${field} is cleared. The official plugin (7.8.0) does not send it, so the role keeps it; Gatehouse’s own plugin clears it.`,
          fix: 'With the official plugin, clear it by hand or replace the role; gatehouse drift shows what remains.',
        }));
    }),
    ...after.methods.flatMap((method) => {
      const was = before.methods.find(({ path, type }) => path === method.path && type === method.type);
      if (isEmpty(was?.tune) || !isEmpty(method.tune)) return [];
      return [
        {
          subject: { ...methodSubject(method), field: 'tune' },
          message: `tune is removed (${Object.keys(was?.tune ?? {}).join(', ')}). The official plugin (7.8.0) does not send it, so the method keeps it; Gatehouse’s own plugin resets it.`,
          fix: 'With the official plugin, set the intended values instead of removing tune.',
        },
      ];
    }),
  ],
};
