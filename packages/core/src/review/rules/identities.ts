import { isUnsteady } from '../../access/sign-in/identity-change.ts';
import type { GroupAlias } from '../../graph/resources/group-alias.ts';
import { aliasSubject } from '../../graph/subject.ts';
import { partName, plainName } from '../../graph/values/visible.ts';
import { type GraphRule, roleRule } from './rule.ts';

/** The service compares the names of groups and aliases without regard to case. */
const nameOf = ({ method, name }: GroupAlias) => JSON.stringify([method, name.toLowerCase()]);
const groupOf = ({ group }: GroupAlias) => group.toLowerCase();

/** Rules over which person or group a token is of. */
export const identityRules: GraphRule[] = [
  {
    id: 'aliases-collide',
    severity: 'error',
    about: 'Two aliases on one group, or one alias for two groups.',
    check: ({ aliases }) => {
      const names = Map.groupBy(aliases, nameOf);
      const groups = Map.groupBy(aliases, groupOf);
      return aliases.flatMap((alias) => {
        const subject = aliasSubject(alias);
        const taken = names.get(nameOf(alias))?.[0];
        if (taken !== undefined && taken !== alias) {
          return {
            subject,
            message: `The alias is declared twice on auth/${alias.method}, for groups ${JSON.stringify(taken.group)} and ${JSON.stringify(alias.group)}. The service keeps only the last one written.`,
            fix: 'Remove one of the two, or give both policies to one group.',
          };
        }
        const other = groups.get(groupOf(alias))?.[0];
        if (other === undefined || other === alias) return [];
        return {
          subject,
          message: `Group ${plainName(alias.group)} already has ${partName('alias', other.method, other.name)}. A group has one alias, so the second silently replaces the first.`,
          fix: 'Declare a second group with the same policies for the second alias.',
        };
      });
    },
  },
  roleRule({
    id: 'mutable-user-claim',
    severity: 'warning',
    about: 'A user claim whose value can be reassigned.',
    field: 'userClaim',
    isWrong: ({ userClaim }) => isUnsteady(userClaim),
    // The specification's own settings name people by `email`: with the default policy alone, that is no matter.
    severityOf: ({ policies = [] }) => (policies.some((policy) => policy !== 'default') ? 'warning' : 'info'),
    message: ({ userClaim }) =>
      `People are identified by ${JSON.stringify(userClaim)}. If the ${userClaim === 'email' ? 'address' : 'value'} is reassigned, its new owner inherits this access.`,
    fix: 'Use `sub`.',
  }),
];
