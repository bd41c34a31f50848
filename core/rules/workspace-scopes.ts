import { delegatedScopes, workspaceSuite } from '../model/kinds/workspace-suite.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

/** The two that may be delegated, and what a sign-in asks for anyway. */
const allowed: readonly string[] = [
  ...['openid', 'profile', 'email'],
  ...['email', 'profile'].map((name) => `https://www.googleapis.com/auth/userinfo.${name}`),
  ...delegatedScopes,
];

export const rule: StateRule = {
  id: 'workspace-scopes',
  severity: 'warning',
  about: 'Workspace suite: scopes beyond the two read-only directory scopes.',
  check: ({ roles }, { kindOf }) =>
    roles
      .filter(({ method }) => kindOf(method) === workspaceSuite.kind)
      .flatMap((role) => {
        const beyond = (role.oidcScopes ?? []).filter((scope) => !allowed.includes(scope));
        if (beyond.length === 0) return [];
        return {
          subject: roleSubject(role, 'oidcScopes'),
          message: `The role asks people for more than a sign-in needs: ${beyond.join(', ')}. The suite’s own guide allows the read-only group and user scopes alone.`,
          fix: 'Ask for profile and email; leave the directory to the service account.',
        };
      }),
};
