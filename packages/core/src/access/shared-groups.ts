import { getOrMake } from '../graph/values/get-or-make.ts';
import type { AccessChange, Principals } from './access-change.ts';

type GroupList = AccessChange['groups'];

/** Lets principals of one method who get into the same groups, or lose the same, share one list: methods have thousands of both. */
export function shareGroups(principals: readonly Principals[]): void {
  const lists = new Map<string, GroupList[]>();
  const sharedOf = (method: string, groups: GroupList) => {
    const ofMethod = getOrMake(lists, method, () => []);
    const equal = ofMethod.find((list) => isSameList(list, groups));
    if (equal === undefined) ofMethod.push(groups);
    return equal ?? groups;
  };
  for (const one of principals) {
    const { method = '', change, joins } = one;
    if (change.groups.length > 0) change.groups = sharedOf(method, change.groups);
    if (joins !== undefined) one.joins = sharedOf(method, joins);
  }
}

function isSameList(list: GroupList, other: GroupList): boolean {
  if (list === other) return true;
  const isEqual = ({ name, policies }: GroupList[number], at: number) => {
    const { name: otherName, policies: otherPolicies = [] } = other[at] ?? {};
    return (
      name === otherName && (policies === otherPolicies || policies.join('\n') === otherPolicies.join('\n'))
    );
  };
  return list.length === other.length && list.every(isEqual);
}
