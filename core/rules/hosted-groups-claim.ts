import { hostedIdentityPlatform } from '../model/kinds/hosted-identity-platform.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'hosted-groups-claim',
  severity: 'error',
  about: 'Hosted identity platform: a groups claim whose name is not a URL.',
  check: ({ roles }, { kindOf }) =>
    roles
      .filter(({ method, groupsClaim }) => {
        const isHosted = groupsClaim && kindOf(method) === hostedIdentityPlatform.kind;
        // A JSON Pointer to a namespaced claim has its slashes escaped: `/https:~1~1example.com~1groups`.
        return isHosted && !/^\/?https?:(\/\/|~1~1)/.test(groupsClaim);
      })
      .map((role) => ({
        subject: roleSubject(role, 'groupsClaim'),
        message: `The platform drops custom claims whose name is not a URL, such as ${JSON.stringify(role.groupsClaim)}: the token lacks it, and every sign-in fails.`,
        fix: 'Name the claim by a URL of yours, for example https://example.com/groups, there and here.',
      })),
};
