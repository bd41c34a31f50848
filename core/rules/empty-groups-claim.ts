import { openSourceIdentityServer } from '../model/kinds/open-source-identity-server.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'empty-groups-claim',
  severity: 'warning',
  about: 'Open-source identity server: the groups claim is left out of tokens of people without a group.',
  check: ({ roles }, { kindOf }) =>
    roles
      .filter(({ method, groupsClaim }) => groupsClaim && kindOf(method) === openSourceIdentityServer.kind)
      .map((role) => ({
        subject: roleSubject(role, 'groupsClaim'),
        message:
          'The server leaves a claim out that would be empty: a person in no group cannot sign in (“claim not found in token”).',
        fix: 'Give everyone a group at the server, or have people without one sign in to a role that reads none.',
      })),
};
