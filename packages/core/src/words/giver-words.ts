import type { Giver } from '../access/reasons/giver.ts';
import type { PromisedWho } from '../access/reasons/reason.ts';
import { partName } from '../graph/values/visible.ts';

/** What gives access: `role staff/reader`, `alias staff/x (group admins)`. */
export function giverWords(giver: Giver): string {
  switch (giver.kind) {
    case 'role':
      return partName('role', giver.method, giver.name);
    case 'method':
      return `auth/${giver.method}`;
    case 'sign-ins':
      return `sign-ins at auth/${giver.method}`;
    case 'alias': {
      const { method, name, group, at } = giver;
      const linked = at === undefined ? '' : `, at auth/${at} as the same entity`;
      return `${partName('alias', method, name)} (${partName('group', group)})${linked}`;
    }
    case 'group':
    case 'entity':
      return partName(giver.kind, giver.name);
    case 'other':
      return giver.name;
    case 'policy':
      return `other principals with ${partName('policy', giver.name)}`;
    case 'picked': {
      const { from, policy } = giver;
      const whose = from.kind === 'role' ? `tokens made by ${giverWords(from)}` : giverWords(from);
      return `${whose}, with ${partName('policy', policy)} alone`;
    }
  }
}

/** Whose access it is: `group admins (alias staff/x)`, `members of group ops`. */
export function principalsWords(giver: Giver): string {
  if (giver.kind === 'alias' && giver.at === undefined) {
    const { method, name, group } = giver;
    return `${partName('group', group)} (${partName('alias', method, name)})`;
  }
  return giver.kind === 'group' ? `members of ${giverWords(giver)}` : giverWords(giver);
}

/** `role cluster/web, in group admins (alias cluster/x)`; or the words of the promise. */
export function promisedWords(who: PromisedWho): string {
  if ('promised' in who) return who.promised;
  return who.principals
    .map((one, at) => `${at > 0 && one.kind === 'alias' ? 'in ' : ''}${principalsWords(one)}`)
    .join(', ');
}
