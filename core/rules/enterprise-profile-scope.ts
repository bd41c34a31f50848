import { enterpriseIdentityProvider } from '../model/kinds/enterprise-identity-provider.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'enterprise-profile-scope',
  severity: 'warning',
  about: 'Enterprise identity provider: a role that does not ask for the scope `profile`.',
  check: ({ roles }, { kindOf }) =>
    roles
      .filter(({ method, roleType, oidcScopes = [] }) => {
        const isPersons = roleType === 'oidc' && kindOf(method) === enterpriseIdentityProvider.kind;
        return isPersons && !oidcScopes.includes('profile');
      })
      .map((role) => ({
        subject: roleSubject(role, 'oidcScopes'),
        message:
          'Without the scope profile the provider sends a thin token: names and further claims are missing.',
        fix: 'Add profile to oidcScopes.',
      })),
};
