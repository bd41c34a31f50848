import { didYouMean } from './values/problem.ts';

interface Checked {
  name: string;
  members: string[];
}

/**
 * What does not hold of groups of groups: members that are not declared, one member twice, groups in a circle. The service
 * would refuse them only when others have been made.
 *
 * @param external names of the providers' groups
 */
export function internalGroupProblems(
  groups: readonly Checked[],
  external: readonly string[],
): { path: (string | number)[]; message: string }[] {
  const key = (name: string) => name.toLowerCase();
  const declared = [...external, ...groups.map(({ name }) => name)];
  const within = new Map(groups.map(({ name, members }) => [key(name), members.map(key)]));
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    (within.get(from) ?? []).some((inner) => {
      if (inner === wanted) return true;
      if (seen.has(inner)) return false;
      seen.add(inner);
      return reaches(inner, wanted, seen);
    });
  return groups.flatMap(({ name, members }, index) =>
    members.flatMap((member, position) => {
      const path = ['groups', index, 'members', position];
      const quoted = JSON.stringify(member);
      if (member === '') return [];
      if (!declared.some((one) => key(one) === key(member))) {
        return { path, message: `no group is named ${quoted}${didYouMean(member, declared)}` };
      }
      if (members.findIndex((one) => key(one) === key(member)) < position) {
        return { path, message: `the group ${quoted} is named twice` };
      }
      if (key(member) === key(name) || reaches(key(member), key(name))) {
        return {
          path,
          message: `the group ${quoted} holds ${JSON.stringify(name)} itself: groups in a circle`,
        };
      }
      return [];
    }),
  );
}
