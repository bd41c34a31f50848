import { cloudDirectory, graphScopeOf } from '../model/kinds/cloud-directory.ts';
import { methodAt } from '../model/parts-by-name.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'directory-scope',
  severity: 'error',
  about: 'Cloud directory: a role that reads groups without the scope that they need.',
  check: ({ methods, roles }, { kindOf }) =>
    roles
      .filter(({ method, groupsClaim }) => groupsClaim && kindOf(method) === cloudDirectory.kind)
      .flatMap((role) => {
        const { providerConfig, oidcDiscoveryUrl = '' } = methodAt(methods, role.method)?.config ?? {};
        const asks = providerConfig !== undefined;
        const scopes = role.oidcScopes ?? [];
        if (asks ? scopes.includes('profile') : scopes.some((scope) => scope.endsWith('/.default')))
          return [];
        return {
          subject: roleSubject(role, 'oidcScopes'),
          message: asks
            ? 'The service asks the directory for the groups, and the role does not ask for the scope profile, which that needs.'
            : 'The role reads groups and does not ask for the default scope of the graph API: the tokens may carry none, and the sign-in fails.',
          fix: asks ? 'Set oidcScopes: [profile].' : `Set oidcScopes: ["${graphScopeOf(oidcDiscoveryUrl)}"].`,
        };
      }),
};
