import { methodAt } from '../model/parts-by-name.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'oidc-role-on-jwt-method',
  severity: 'error',
  about: 'An oidc role on a method that is not set up for people.',
  check: ({ methods, roles }) =>
    roles
      .filter(({ roleType }) => roleType === 'oidc')
      .flatMap((role) => {
        const method = methodAt(methods, role.method);
        if (method === undefined || (method.type === 'oidc' && method.config.oidcClientId)) return [];
        // The id of an application that a plan is yet to create is not known.
        if (method.type === 'oidc') return [];
        const hasClient = Boolean(method.config.oidcClientId);
        return {
          subject: roleSubject(role, 'roleType'),
          severity: hasClient ? ('warning' as const) : ('error' as const),
          message: hasClient
            ? 'The role is of type oidc, and its mount of type jwt: the sign-in page asks people for a token there.'
            : 'The role is of type oidc, and its method has no client: nobody can sign in to it.',
          fix: 'Put people’s roles on a mount of type oidc, or make this one a jwt role.',
        };
      }),
};
