import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'jwt-role-without-audience',
  severity: 'error',
  about: 'A jwt role that binds no audience.',
  check: ({ roles }) =>
    roles
      .filter(({ roleType, boundAudiences }) => roleType === 'jwt' && !boundAudiences?.length)
      .map((role) => ({
        subject: roleSubject(role, 'boundAudiences'),
        message:
          'The role binds no audience. A token that has one is refused: “audience claim found in JWT but no audiences bound to the role”.',
        fix: 'Set boundAudiences to the audience of the tokens.',
      })),
};
