import { isUnsteady } from '../access/sign-in/identity-change.ts';
import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'mutable-user-claim',
  severity: 'warning',
  about: 'A user claim whose value can pass to somebody else.',
  check: ({ roles }) =>
    roles
      .filter(({ userClaim }) => isUnsteady(userClaim))
      .map((role) => {
        const beyond = (role.policies ?? []).some((policy) => policy !== 'default');
        return {
          subject: roleSubject(role, 'userClaim'),
          // The specification's own settings name people by `email`: with the default policy alone, that is no matter.
          severity: beyond ? 'warning' : 'info',
          message: `People are told apart by ${JSON.stringify(role.userClaim)}, which can change and need not be verified: whoever is given the address next also gets the identity and its policies.`,
          fix: 'Set userClaim: sub where the provider sends a stable one.',
        };
      }),
};
