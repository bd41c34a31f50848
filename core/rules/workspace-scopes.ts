import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

/** The two that may be delegated (interface.md B-3, 2), and what a sign-in asks for anyway. */
const allowed =
  /^(openid|profile|email|https:\/\/www\.googleapis\.com\/auth\/(userinfo\.(email|profile)|admin\.directory\.(group|user)\.readonly))$/;

export const rule: StateRule = {
  id: 'workspace-scopes',
  severity: 'warning',
  about: 'Workspace suite: scopes beyond the two read-only directory scopes.',
  check: ({ roles }, { kindOf }) =>
    roles
      .filter(({ method }) => kindOf(method) === 'workspace_suite')
      .flatMap((role) => {
        const beyond = (role.oidcScopes ?? []).filter((scope) => !allowed.test(scope));
        if (beyond.length === 0) return [];
        return {
          subject: roleSubject(role, 'oidcScopes'),
          message: `The role asks people for more than a sign-in needs: ${beyond.join(', ')}. The suite’s own guide allows the read-only group and user scopes alone.`,
          fix: 'Ask for profile and email; leave the directory to the service account.',
        };
      }),
};
