import { methodSubject, roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'mixed-case-name',
  severity: 'warning',
  about: 'A role, or a default role, whose name is not lower case.',
  check: ({ methods, roles }) =>
    [
      ...roles.filter(({ name }) => name !== name.toLowerCase()).map((role) => roleSubject(role, 'name')),
      ...methods
        .filter(({ config: { defaultRole = '' } }) => defaultRole !== defaultRole.toLowerCase())
        .map((method) => methodSubject(method, 'defaultRole')),
    ].map((subject) => ({
      subject,
      message: 'The service stores the name in lower case: every comparison with it finds a difference.',
      fix: 'Write it in lower case.',
    })),
};
