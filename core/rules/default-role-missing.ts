import { rolesOf } from '../model/parts-by-name.ts';
import type { Role } from '../model/resources/role.ts';
import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'default-role-missing',
  severity: 'error',
  about: 'A default role that the method does not have.',
  check: ({ methods, roles }) =>
    methods
      .filter(({ path, config: { defaultRole } }) => {
        const own = rolesOf(roles, path);
        // Where no role of the method is known, those that there are may be declared elsewhere.
        const isMissing = ({ name }: Role) => name.toLowerCase() !== defaultRole?.toLowerCase();
        return defaultRole && own.length > 0 && own.every(isMissing);
      })
      .map((method) => ({
        subject: methodSubject(method, 'defaultRole'),
        message: `The default role ${JSON.stringify(method.config.defaultRole)} does not exist: sign-ins that name no role fail.`,
        fix: 'Name a role of the method, or remove it.',
      })),
};
