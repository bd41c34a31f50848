import type { GroupAlias } from '../model/resources/group-alias.ts';
import { aliasSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'aliases-collide',
  severity: 'error',
  about: 'Two aliases on one group, or one alias for two groups.',
  check: ({ aliases }) => {
    const [names, groups] = [Map.groupBy(aliases, nameOf), Map.groupBy(aliases, groupOf)];
    return aliases.flatMap((alias) => {
      const taken = names.get(nameOf(alias))?.[0];
      if (taken !== undefined && taken !== alias) {
        return {
          subject: aliasSubject(alias),
          message: `The alias is declared twice on auth/${alias.method}, for the groups ${JSON.stringify(taken.group)} and ${JSON.stringify(alias.group)}. The service keeps one: whichever is written last takes it from the other.`,
          fix: 'Remove one of the two, or give both policies to one group.',
        };
      }
      const other = groups.get(groupOf(alias))?.[0];
      if (other === undefined || other === alias) return [];
      return {
        subject: aliasSubject(alias),
        message: `The group ${JSON.stringify(alias.group)} has another alias, ${JSON.stringify(other.name)} of auth/${other.method}. A group has only one: the second silently replaces the first.`,
        fix: 'Make a second group with the same policies for the second alias.',
      };
    });
  },
};

/** The service tells the names of groups and aliases apart without regard to case. */
const nameOf = ({ method, name }: GroupAlias) => JSON.stringify([method, name.toLowerCase()]);
const groupOf = ({ group }: GroupAlias) => group.toLowerCase();
