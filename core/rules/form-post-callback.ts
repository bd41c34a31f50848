import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'form-post-callback',
  severity: 'warning',
  about: '`form_post` without the callback to which a provider posts.',
  check: ({ methods, roles }) => {
    const posting = new Set(
      methods.filter(({ config }) => config.oidcResponseMode === 'form_post').map(({ path }) => path),
    );
    return roles
      .filter(({ method, roleType }) => roleType === 'oidc' && posting.has(method))
      .filter(
        ({ method, allowedRedirectUris = [] }) =>
          !allowedRedirectUris.some((uri) => uri.endsWith(`/v1/auth/${method}/oidc/callback`)),
      )
      .map((role) => ({
        subject: roleSubject(role, 'allowedRedirectUris'),
        message:
          'The provider posts its answer, which pages in a browser cannot take: it has to go to the service’s own address, and that is not allowed here.',
        fix: `Allow https://<host>/v1/auth/${role.method}/oidc/callback, here and at the provider.`,
      }));
  },
};
