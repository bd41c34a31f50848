import type { AccessChange } from '../access/access-change.ts';
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
  anyone: () => 'anyone without a token',
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

/** Sign-ins that a row names. */
const mostNamed = 2;

/**
 * By which sign-ins people have it: `by role oidc/admin, or user jan of userpass`, `by any role of auth/staff`. Empty where
 * that does not count.
 */
export function signInsWords({
  principals: { method },
  together = [],
  byRoles,
}: Pick<AccessChange, 'principals' | 'together' | 'byRoles'>): string {
  const isByAny = byRoles === 'any' || byRoles === 'elsewhere';
  const whereWords = byRoles === 'elsewhere' ? ' (roles are elsewhere)' : '';
  const signIns = [
    ...(isByAny ? [`${anyRoleWords(method)}${whereWords}`] : []),
    ...together.filter((token) => !(isByAny && isOfRole(token, method))).map(tokenWords),
  ];
  const named = signIns.slice(0, mostNamed);
  const unnamed = signIns.length - named.length;
  if (byRoles === 'some') named.push('others');
  else if (unnamed > 0) named.push(`${unnamed} more`);
  const last = named.length > 1 ? named.splice(-1) : [];
  const isSignIn = isByAny || together.some(([giver]) => signsIn(giver));
  return named.length === 0 ? '' : `${isSignIn ? 'by' : 'with'} ${[named.join(', '), ...last].join(', or ')}`;
}

const anyRoleWords = (path: string) => `any role of auth/${path}`;

const signsIn = (giver: Giver | undefined) =>
  giver !== undefined && !['alias', 'group', 'entity'].includes(giver.kind);

/** Whether a token is of a role of a method, and has nothing else. Its tokens with one policy alone are so, too. */
function isOfRole([giver, ...others]: readonly Giver[], path: string): boolean {
  if (giver === undefined || others.length > 0) return false;
  if (giver.kind === 'picked') return isOfRole([giver.from], path);
  return (giver.kind === 'role' || giver.kind === 'method') && giver.method === path;
}

/** What else a token has: `role oidc/admin`, `role oidc/admin with alias oidc//ops (group ops)`. */
function tokenWords([giver, ...others]: readonly Giver[]): string {
  if (giver === undefined) return '';
  const first = giver.kind === 'method' ? anyRoleWords(giver.method) : giverWords(giver);
  if (others.length === 0) return first;
  return `${first} ${signsIn(giver) ? 'with' : 'and'} ${others.map(giverWords).join(' and ')}`;
}

/** `role cluster/web, in group admins (alias cluster/x)`; or the words of the promise. */
export function promisedWords(who: PromisedWho): string {
  if ('promised' in who) return who.promised;
  return who.principals
    .map((one, at) => `${at > 0 && one.kind === 'alias' ? 'in ' : ''}${principalsWords(one)}`)
    .join(', ');
}
