import { enterpriseIdentityProvider, isOrganization } from '../model/kinds/enterprise-identity-provider.ts';
import { methodAt } from '../model/parts-by-name.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'enterprise-groups-scope',
  severity: 'warning',
  about:
    'Enterprise identity provider: a role that reads groups of the organization’s own server, without the scope `groups`.',
  check: ({ methods, roles }, { kindOf }) =>
    roles
      .filter(({ method, groupsClaim, oidcScopes = [] }) => {
        const url = methodAt(methods, method)?.config.oidcDiscoveryUrl ?? '';
        const isAsked = kindOf(method) === enterpriseIdentityProvider.kind && isOrganization(url);
        return isAsked && groupsClaim && !oidcScopes.includes('groups');
      })
      .map((role) => ({
        subject: roleSubject(role, 'oidcScopes'),
        message:
          'The organization’s own server sends groups for the scope groups alone: without the claim the sign-in fails.',
        fix: 'Add groups to oidcScopes, or leave the groups claim out.',
      })),
};
