import { workspaceSuite } from '../model/kinds/workspace-suite.ts';
import { methodAt } from '../model/parts-by-name.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'workspace-user-claim',
  severity: 'error',
  about: 'Workspace suite: groups or user info are fetched by a claim other than sub and email.',
  check: ({ methods, roles }) =>
    roles
      .filter(({ method, userClaim }) => {
        const config = methodAt(methods, method)?.config.providerConfig;
        const fetches =
          config?.provider === workspaceSuite.kind && (config.fetchGroups || config.fetchUserInfo);
        return fetches && !['sub', 'email'].includes(userClaim);
      })
      .map((role) => ({
        subject: roleSubject(role, 'userClaim'),
        message: `The suite is asked for groups and user info by the user claim, and knows nobody by ${JSON.stringify(role.userClaim)}: the queries fail.`,
        fix: 'Set userClaim to sub or email.',
      })),
};
