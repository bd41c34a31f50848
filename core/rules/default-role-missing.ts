import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'default-role-missing',
  severity: 'error',
  about: 'A default role that the method does not have.',
  check: ({ methods, roles }) =>
    methods
      .filter(({ path, config: { defaultRole } }) => {
        const own = roles.filter(({ method }) => method === path).map(({ name }) => name.toLowerCase());
        // Where no role of the method is known, those that there are may be declared elsewhere.
        return defaultRole && own.length > 0 && !own.includes(defaultRole.toLowerCase());
      })
      .map((method) => ({
        subject: methodSubject(method, 'defaultRole'),
        message: `The default role ${JSON.stringify(method.config.defaultRole)} does not exist: sign-ins that name no role fail.`,
        fix: 'Name a role of the method, or remove it.',
      })),
};
