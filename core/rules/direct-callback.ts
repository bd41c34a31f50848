import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'direct-callback',
  severity: 'error',
  about: 'A role in direct callback mode.',
  check: ({ roles }) =>
    roles
      .filter(({ callbackMode }) => callbackMode === 'direct')
      .map((role) => ({
        subject: roleSubject(role, 'callbackMode'),
        message:
          'The provider’s response goes straight to the service, and nobody confirms it: whoever lures a person to a prepared link signs in as that person (CVE-2026-33757).',
        fix: 'Set callback_mode back to client.',
      })),
};
