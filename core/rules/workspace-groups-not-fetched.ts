import { workspaceSuite } from '../model/kinds/workspace-suite.ts';
import { methodAt } from '../model/parts-by-name.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'workspace-groups-not-fetched',
  severity: 'error',
  about: 'Workspace suite: a role that reads groups, while the service does not fetch any.',
  check: ({ methods, roles }, { kindOf }) =>
    roles
      .filter(({ method, groupsClaim }) => groupsClaim && kindOf(method) === workspaceSuite.kind)
      .filter(({ method }) => {
        const config = methodAt(methods, method)?.config.providerConfig;
        return config?.provider !== workspaceSuite.kind || !config.fetchGroups;
      })
      .map((role) => ({
        subject: roleSubject(role, 'groupsClaim'),
        message:
          'The role reads groups, and the suite’s tokens carry none: without fetch_groups every sign-in fails with “claim not found in token”.',
        fix: 'Set fetchGroups (directory.fetchGroups in an environment), or leave the groups claim out.',
      })),
};
