import { Memberships, namedKey } from '../graph/memberships.ts';
import { didYouMean } from '../graph/values/problem.ts';

interface CheckedGroup {
  name: string;
  members: string[];
}

/**
 * Problems of groups of groups: undeclared members, a member listed twice, groups in a circle. The service would refuse
 * them only halfway through a deployment.
 *
 * @param external names of the providers' groups
 */
export function internalGroupProblems(
  groups: readonly CheckedGroup[],
  external: readonly string[],
): { path: (string | number)[]; message: string }[] {
  const groupOf = (name: string) => ({ kind: 'group' as const, name });
  const key = (name: string) => namedKey(groupOf(name));
  const declared = [...external, ...groups.map(({ name }) => name)];
  const memberships = new Memberships(
    groups.map(({ name, members }) => ({
      ...groupOf(name),
      policies: [],
      members: members.map(groupOf),
    })),
  );
  return groups.flatMap(({ name, members }, index) =>
    members.flatMap((member, position) => {
      const path = ['groups', index, 'members', position];
      const quoted = JSON.stringify(member);
      if (member === '') return [];
      if (!declared.some((declaredName) => key(declaredName) === key(member))) {
        return { path, message: `no group is named ${quoted}${didYouMean(member, declared)}` };
      }
      if (members.findIndex((otherMember) => key(otherMember) === key(member)) < position) {
        return { path, message: `the group ${quoted} is named twice` };
      }
      if (memberships.isWithin(groupOf(name), groupOf(member))) {
        return {
          path,
          message: `the group ${quoted} holds ${JSON.stringify(name)} itself: groups in a circle`,
        };
      }
      return [];
    }),
  );
}
