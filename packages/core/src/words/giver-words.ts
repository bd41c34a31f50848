import type { Giver } from '../access/reasons/giver.ts';
import type { PromisedWho } from '../access/reasons/reason.ts';
import { partName } from '../graph/values/visible.ts';

type GiverOf<Kind extends Giver['kind']> = Extract<Giver, { kind: Kind }>;

/** What gives access: `role staff/reader`, `alias staff/x (group admins)`. */
export function giverWords(giver: Giver): string {
  const say = words[giver.kind] as (given: Giver) => string;
  return say(giver);
}

const named = ({ kind, name }: GiverOf<'group' | 'entity'>) => partName(kind, name);
const words: { [Kind in Giver['kind']]: (giver: GiverOf<Kind>) => string } = {
  role: ({ method, name }) => partName('role', method, name),
  method: ({ method }) => `auth/${method}`,
  'sign-ins': ({ method }) => `sign-ins at auth/${method}`,
  alias: ({ method, name, group, at }) => {
    const linked = at === undefined ? '' : `, at auth/${at} as the same entity`;
    return `${partName('alias', method, name)} (${partName('group', group)})${linked}`;
  },
  group: named,
  entity: named,
  other: ({ name }) => name,
  policy: ({ name }) => `other principals with ${partName('policy', name)}`,
  picked: ({ from, policy }) => {
    const whose = from.kind === 'role' ? `tokens made by ${giverWords(from)}` : giverWords(from);
    return `${whose}, with ${partName('policy', policy)} alone`;
  },
};

/** All kinds of what gives access. */
export const giverKinds = Object.keys(words) as Giver['kind'][];

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
