import { sourceHosting } from '../model/kinds/source-hosting.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'source-hosting-openid',
  severity: 'error',
  about: 'Source-hosting provider: a role that does not ask for the scope `openid`.',
  check: ({ roles }, { kindOf }) =>
    roles
      .filter(({ method, roleType, oidcScopes = [] }) => {
        const isPersons = roleType === 'oidc' && kindOf(method) === sourceHosting.kind;
        return isPersons && !oidcScopes.includes('openid');
      })
      .map((role) => ({
        subject: roleSubject(role, 'oidcScopes'),
        message: 'The provider gives an identity token for the scope openid alone.',
        fix: 'Set oidcScopes: [openid], and select the scope in the application.',
      })),
};
