import { isUnsteady } from '../access/sign-in/identity-change.ts';
import type { GroupAlias } from '../model/resources/group-alias.ts';
import { aliasSubject } from '../model/subject.ts';
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
      const [names, groups] = [Map.groupBy(aliases, nameOf), Map.groupBy(aliases, groupOf)];
      return aliases.flatMap((alias) => {
        const subject = aliasSubject(alias);
        const taken = names.get(nameOf(alias))?.[0];
        if (taken !== undefined && taken !== alias) {
          return {
            subject,
            message: `The alias is declared twice on auth/${alias.method}, for the groups ${JSON.stringify(taken.group)} and ${JSON.stringify(alias.group)}. The service keeps one: whichever is written last takes it from the other.`,
            fix: 'Remove one of the two, or give both policies to one group.',
          };
        }
        const other = groups.get(groupOf(alias))?.[0];
        if (other === undefined || other === alias) return [];
        return {
          subject,
          message: `The group ${JSON.stringify(alias.group)} has another alias, ${JSON.stringify(other.name)} of auth/${other.method}. A group has only one: the second silently replaces the first.`,
          fix: 'Make a second group with the same policies for the second alias.',
        };
      });
    },
  },
  roleRule({
    id: 'mutable-user-claim',
    severity: 'warning',
    about: 'A user claim whose value can pass to another person.',
    field: 'userClaim',
    isWrong: ({ userClaim }) => isUnsteady(userClaim),
    // The specification's own settings name people by `email`: with the default policy alone, that is no matter.
    severityOf: ({ policies = [] }) => (policies.some((policy) => policy !== 'default') ? 'warning' : 'info'),
    message: ({ userClaim }) =>
      `${JSON.stringify(userClaim)} identifies people, and can change hands. If the address is reassigned, its new owner inherits this access.`,
    fix: 'Set userClaim: sub where the provider sends a stable one.',
  }),
];
