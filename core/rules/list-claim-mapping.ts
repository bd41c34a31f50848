import { roleSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

/** Claims that are lists in the tokens of every provider, or of those that send them. */
const lists = ['aud', 'amr', 'groups', 'roles', 'groups_direct', 'cognito:groups'];

export const rule: StateRule = {
  id: 'list-claim-mapping',
  severity: 'error',
  about: 'A claim that is a list, mapped to metadata.',
  check: ({ roles }) =>
    roles.flatMap((role) =>
      Object.keys(role.claimMappings ?? {})
        .filter((source) => lists.includes(source.replace(/^\//, '')))
        .map((source) => ({
          subject: roleSubject(role, 'claimMappings'),
          message: `The claim ${JSON.stringify(source)} is a list, and only a text can be mapped: every sign-in with it fails (“error converting claim to string”).`,
          fix: 'Leave it out; groups are for groupsClaim.',
        })),
    ),
};
