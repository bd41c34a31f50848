import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'reserved-metadata-key',
  severity: 'error',
  about: 'A claim mapped to the metadata key `role`.',
  check: ({ roles }) =>
    roles
      .filter(({ claimMappings = {} }) => Object.values(claimMappings).includes('role'))
      .map((role) => ({
        subject: roleSubject(role, 'claimMappings'),
        message: 'The metadata key "role" is reserved: the service refuses the role.',
        fix: 'Map the claim to another name.',
      })),
};
