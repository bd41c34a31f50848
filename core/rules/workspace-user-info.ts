import { workspaceSuite } from '../model/kinds/workspace-suite.ts';
import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'workspace-user-info',
  severity: 'error',
  about: 'Workspace suite: user info is fetched, and no custom schema says which.',
  check: ({ methods }) =>
    methods
      .filter(({ config: { providerConfig: given } }) => {
        return (
          given?.provider === workspaceSuite.kind && given.fetchUserInfo && !given.userCustomSchemas?.length
        );
      })
      .map((method) => ({
        subject: methodSubject(method, 'providerConfig'),
        message: 'fetch_user_info is on and user_custom_schemas names no schema: the service refuses it.',
        fix: 'Name the custom schemas, or turn fetch_user_info off.',
      })),
};
