import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'glob-not-enabled',
  severity: 'warning',
  about: 'A bound claim with a `*` where values are compared exactly.',
  check: ({ roles }) =>
    roles.flatMap((role) =>
      Object.entries(role.boundClaims ?? {})
        .filter(
          ([, values]) =>
            role.boundClaimsType !== 'glob' && [values].flat().some((value) => String(value).includes('*')),
        )
        .map(([claim]) => ({
          subject: roleSubject(role, 'boundClaims'),
          message: `A value bound for the claim ${JSON.stringify(claim)} has a *, but values are compared exactly: it only matches a token with a * in it.`,
          fix: 'Set boundClaimsType: glob, or write the whole value.',
        })),
    ),
};
