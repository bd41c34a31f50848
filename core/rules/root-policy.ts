import { groupSubject, roleSubject } from '../model/subject.ts';
import { policyKey } from '../model/values/name-key.ts';
import type { StateRule } from './rule.ts';

const isRoot = (name: string) => policyKey(name) === 'root';

export const rule: StateRule = {
  id: 'root-policy',
  severity: 'error',
  about: 'A role or group with the policy root, in any spelling.',
  check: ({ roles, groups }) =>
    [
      ...roles
        .filter(({ policies = [] }) => policies.some(isRoot))
        .map((role) => roleSubject(role, 'policies')),
      ...groups
        .filter(({ policies }) => policies.some(isRoot))
        .map((group) => groupSubject(group, 'policies')),
    ].map((subject) => ({
      subject,
      message:
        'It gives root. The service trims and lower-cases names, and has accepted it that way (CVE-2025-54996, CVE-2025-64761).',
      fix: 'Use a policy that allows only what is needed.',
    })),
};
