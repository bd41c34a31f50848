import { placeOf } from '../login/claims.ts';
import type { Change } from '../model/change.ts';
import { namedKey } from '../model/memberships.ts';
import type { AuthMethod } from '../model/resources/auth-method.ts';
import { isSame } from '../model/resources/field.ts';
import type { Role } from '../model/resources/role.ts';
import type { OtherAccess, State } from '../model/state.ts';
import { roleSubject, subjectText } from '../model/subject.ts';
import { nameKey } from '../model/values/name-key.ts';
import { type AccessChange, type AccessKind, type Beside, begun } from './access-change.ts';
import { effectiveAliases, type Holder, Holdings, policiesOfRole, unique } from './holdings.ts';
import type { Crowd } from './path-decision.ts';
import { identityChanges } from './sign-in/identity-change.ts';
import {
  type Inclusion,
  inclusion,
  isDisjoint,
  type Population,
  populationOf,
  populationWords,
} from './sign-in/population.ts';
import { lifeChanges } from './sign-in/token-life.ts';

/** A way in that changes or may change, and who holds what by it. */
export interface Way {
  change: AccessChange;
  holder: Holder;
  /** Who comes by it after the change; before it, where it is closed. */
  population?: Population;
  /** External groups that people newly get into by it. */
  joins?: AccessChange['groups'];
}

/** All ways in of a change, and the crowds in which what they give is judged together. */
export function waysOf({ before, after }: Change): { ways: Way[]; crowds: Crowd<Holder>[] } {
  const [unseenBefore, unseenAfter] = unseenRoles(before, after);
  const [was, is] = [indexed(before, unseenBefore), indexed(after, unseenAfter)];
  const [roles, aliases] = [roleWays(was, is), aliasWays(was, is)];
  const [others, holders] = [otherWays(before, after), holderWays(was, is)];
  const entities = holders.map(({ holder }) => holder);
  const of = (ways: Way[], method: string) =>
    ways.flatMap(({ holder }) => (holder.method === method ? [holder] : []));
  const members = roles.filter(({ change }) => change.kind === 'changed');
  // Who is new somewhere had nothing there, in no group either: what is gained are the policies as they are.
  const apart = others.filter(({ holder }) => holder.method === undefined);
  const newcomers = [...roles.filter((way) => !members.includes(way)), ...apart].map(({ holder }) => holder);
  // Who is known by an alias signs in by the roles of its method.
  const known = [...aliases, ...others.filter((way) => !apart.includes(way))];
  const methods = new Set([...members, ...known].map(({ holder }) => holder.method ?? ''));
  return {
    ways: [...roles, ...aliases, ...others, ...holders],
    crowds: [
      ...[...methods].map((method) => ({
        roles: of(members, method),
        groups: [...of(known, method), ...entities],
      })),
      ...(newcomers.length === 0 ? [] : [{ roles: newcomers, groups: [] }]),
      // They may sign in by a method that is not here, and then have nothing of its roles.
      ...(entities.length === 0 ? [] : [{ roles: [], groups: entities }]),
    ],
  };
}

function roleWays(was: Indexed, is: Indexed): Way[] {
  return [...new Set([...was.roles.keys(), ...is.roles.keys()])].flatMap((key) => {
    const [old, wanted] = [was.roles.get(key), is.roles.get(key)];
    if (old === undefined) return wanted === undefined ? [] : [oneSided('opened', wanted, is)];
    if (wanted === undefined) return [oneSided('closed', old, was)];
    const holder = roleHolder(wanted, filledPolicies(old, wanted), filledPolicies(wanted, old));
    if (old === wanted && was.methods.get(old.method) === is.methods.get(old.method)) {
      return [{ change: begun('changed', holder), holder, population: populationIn(is, wanted) }];
    }
    const [from, to] = [populationIn(was, old), populationIn(is, wanted)];
    if (isDisjoint(from, to)) {
      const other = inclusion(to, from);
      const because = other.answer === 'no' ? { because: other.because } : {};
      const way = oneSided('opened', wanted, is);
      return [{ ...way, change: { ...way.change, ...because } }, oneSided('closed', old, was)];
    }
    const bounds = { before: populationWords(from), after: populationWords(to) };
    const [more, less] = [inclusion(to, from), inclusion(from, to)];
    const beside = besideOf(old, wanted, was, is);
    const isOpen = ({ about, gains, losses }: Beside) =>
      about === 'groups' && [gains, losses].includes('unknown');
    const uncertain = beside.filter(isOpen).map(({ words }) => words);
    const change = { ...begun('changed', holder), bounds, beside, uncertain };
    return [
      ...(more.answer === 'yes' ? [] : [moved('widened', oneSided('opened', wanted, is), bounds, more)]),
      ...(less.answer === 'yes' ? [] : [moved('narrowed', oneSided('closed', old, was), bounds, less)]),
      { change, holder, population: to, ...(readsElsewhere(old, wanted) && { joins: groupsBy(wanted, is) }) },
    ];
  });
}

/** Roles that are elsewhere let in whom their method trusts: a role that asks for nothing stands for them. */
function unseenRoles(before: State, after: State): [Role[], Role[]] {
  const seen = new Set([...before.roles, ...after.roles].map(({ method }) => method));
  const any = ({ path, type }: AuthMethod): Role => ({
    method: path,
    name: '',
    roleType: type,
    userClaim: 'sub',
    tokenNoDefaultPolicy: true,
  });
  const isKept = ({ path }: AuthMethod) =>
    !seen.has(path) && [before, after].every(({ methods }) => methods.some((method) => method.path === path));
  return [before.methods.filter(isKept).map(any), after.methods.filter(isKept).map(any)];
}

/** A template in the name of a policy is another policy once it is filled in. */
function filledPolicies(role: Role, other: Role): string[] {
  const isFilled = role.tokenPoliciesTemplateClaims === true && other.tokenPoliciesTemplateClaims !== true;
  const names = policiesOfRole(role);
  return isFilled ? names.map((name) => (name.includes('{{') ? `${name} (filled in)` : name)) : names;
}

interface Indexed {
  state: State;
  roles: Map<string, Role>;
  methods: Map<string, AuthMethod>;
  holdings: Holdings;
}

function indexed(state: State, unseen: readonly Role[]): Indexed {
  const roles = [...state.roles, ...unseen];
  return {
    state,
    roles: new Map(roles.map((role) => [JSON.stringify([role.method, nameKey(role.name)]), role])),
    methods: new Map(state.methods.map((method) => [method.path, method])),
    holdings: new Holdings(state),
  };
}

function populationIn({ methods }: Indexed, role: Role): Population {
  return populationOf(role, methods.get(role.method));
}

function roleHolder(role: Role, before: string[], after: string[]): Holder {
  const { method, name } = role;
  if (name === '') return { kind: 'method', who: `auth/${method}`, method, name, before, after };
  return { kind: 'role', who: subjectText(roleSubject(role)), method, name, before, after };
}

/** A way in that is there on one side only. */
function oneSided(kind: 'opened' | 'closed', role: Role, side: Indexed): Way {
  const isOpened = kind === 'opened';
  const policies = policiesOfRole(role);
  const holder = roleHolder(role, isOpened ? [] : policies, isOpened ? policies : []);
  const population = populationIn(side, role);
  const change = {
    ...begun(kind, holder),
    bounds: { [isOpened ? 'after' : 'before']: populationWords(population) },
    groups: groupsBy(role, side),
    [isOpened ? 'gains' : 'losses']: 'some',
  };
  return { change, holder, population, ...(isOpened && { joins: change.groups }) };
}

/** What a way in that opens or closes is, where part of those who come by it did or will as well. */
function moved(
  kind: 'widened' | 'narrowed',
  way: Way,
  bounds: AccessChange['bounds'],
  found: Inclusion,
): Way {
  const side = kind === 'widened' ? 'gains' : 'losses';
  // Why others get in is said; of those who no longer do, the bounds before and after tell.
  const because =
    found.answer === 'no' && kind === 'widened' ? { because: found.because, token: found.witness } : {};
  const open = found.answer === 'unknown' ? { [side]: 'unknown' as const, uncertain: [found.missing] } : {};
  return { ...way, change: { ...way.change, kind, bounds, ...because, ...open } };
}

/** The groups that a role lets people into: those of its method's aliases, if it reads groups, or may. */
function groupsBy({ method, name, groupsClaim }: Role, { state, holdings }: Indexed): AccessChange['groups'] {
  if (!groupsClaim && name !== '') return [];
  return state.aliases
    .filter((alias) => alias.method === method)
    .map(({ group }) => ({ name: group, policies: holdings.policiesOf('group', group) }))
    .filter(({ policies }) => policies.length > 0);
}

/** What else changes for those who come by a role before and after. */
function besideOf(old: Role, wanted: Role, was: Indexed, is: Indexed): Beside[] {
  const [before, after] = [was.methods.get(old.method), is.methods.get(wanted.method)];
  const lives = lifeChanges(
    { role: old, ...(before && { method: before }) },
    { role: wanted, ...(after && { method: after }) },
  );
  return [
    ...lives.map(({ longer, words }) => ({ about: 'lifetime' as const, ...byLife[longer], words })),
    ...identityChanges(old, wanted).map(({ chosen, words }) => ({
      about: 'identity' as const,
      gains: chosen ? ('some' as const) : ('unknown' as const),
      losses: 'unknown' as const,
      words,
    })),
    ...readsOther('gains', old, wanted, is),
    ...readsOther('losses', wanted, old, was),
  ];
}

const byLife = {
  yes: { gains: 'some', losses: 'none' },
  no: { gains: 'none', losses: 'some' },
  both: { gains: 'some', losses: 'some' },
  unknown: { gains: 'unknown', losses: 'unknown' },
} as const;

/** Whether a role reads groups from a claim that another does not read them from. */
function readsElsewhere(from: Role, to: Role): boolean {
  return Boolean(to.groupsClaim) && !isSame(placeOf(to.groupsClaim ?? ''), placeOf(from.groupsClaim ?? ''));
}

/** A role that reads groups from another claim lets others into every group of its method. */
function readsOther(side: 'gains' | 'losses', from: Role, to: Role, of: Indexed): Beside[] {
  if (!readsElsewhere(from, to)) return [];
  // A claim is read for groups: where none is here, they are elsewhere.
  if (!of.state.aliases.some(({ method }) => method === to.method)) {
    const words = `which groups the claim ${JSON.stringify(to.groupsClaim)} leads into: no alias of auth/${to.method} is here`;
    return [{ about: 'groups', gains: 'none', losses: 'none', [side]: 'unknown', words }];
  }
  return groupsBy(to, of).map(({ name, policies }) => ({
    about: 'groups',
    gains: 'none',
    losses: 'none',
    [side]: 'some',
    words: `groups are ${side === 'gains' ? 'read' : 'no longer read'} from the claim ${JSON.stringify(to.groupsClaim)}, which leads to ${policies.join(', ')} by group ${JSON.stringify(name)}`,
  }));
}

function aliasWays(before: Indexed, after: Indexed): Way[] {
  const [was, is] = [effectiveAliases(before.state), effectiveAliases(after.state)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const [old, wanted] = [was.get(key), is.get(key)];
    const alias = wanted ?? old;
    if (alias === undefined) return [];
    const { method, name, group } = alias;
    const holder: Holder = {
      kind: 'group',
      who: `${JSON.stringify(name)} of auth/${method} (group ${JSON.stringify(group)})`,
      method,
      name,
      group,
      before: old === undefined ? [] : before.holdings.policiesOf('group', old.group),
      after: wanted === undefined ? [] : after.holdings.policiesOf('group', wanted.group),
    };
    return [{ change: begun(kindOf(old, wanted), holder), holder }];
  });
}

/** Entities, internal groups, and external groups whose aliases are elsewhere. */
function holderWays(before: Indexed, after: Indexed): Way[] {
  const [was, is] = [new Map(before.holdings.others), new Map(after.holdings.others)];
  const aliases = [...before.state.aliases, ...after.state.aliases];
  const led = new Set(aliases.map(({ group }) => nameKey(group)));
  const kept = new Set(after.state.groups.map(({ name }) => nameKey(name)));
  // One that is made here has nobody in it before it has an alias.
  for (const { name } of before.state.groups) {
    if (led.has(nameKey(name))) continue;
    const group = { kind: 'group' as const, name };
    was.set(namedKey(group), group);
    if (kept.has(nameKey(name))) is.set(namedKey(group), group);
  }
  return [...new Map([...was, ...is])].map(([key, { kind, name }]) => {
    const holder: Holder = {
      kind: 'holder',
      who: `${kind} ${JSON.stringify(name)}`,
      name: `${kind} ${name}`,
      before: before.holdings.policiesOf(kind, name),
      after: after.holdings.policiesOf(kind, name),
    };
    return { change: begun(kindOf(was.get(key), is.get(key)), holder), holder };
  });
}

function otherWays(before: State, after: State): Way[] {
  const index = (list: OtherAccess[] = []) => new Map(list.map((one) => [one.name, one]));
  const [was, is] = [index(before.others), index(after.others)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
    const [old, wanted] = [was.get(name), is.get(name)];
    const method = (wanted ?? old)?.joins;
    const holder: Holder = {
      kind: 'other',
      who: name,
      name,
      ...(method !== undefined && { method }),
      before: unique(old?.policies ?? []),
      after: unique(wanted?.policies ?? []),
    };
    const { effect } = (wanted ?? old) as OtherAccess;
    const change = begun(effect === 'takes' ? 'changed' : kindOf(old, wanted), holder);
    if (old === undefined || wanted === undefined) {
      if (effect !== 'takes') {
        const [side, other] = old === undefined ? ['gains', 'losses'] : ['losses', 'gains'];
        const open =
          effect === 'gives' ? {} : { [other as string]: 'unknown', uncertain: [`what ${name} does`] };
        return [{ change: { ...change, ...open, [side as string]: 'some' }, holder }];
      }
      const [gains, losses] = old === undefined ? (['none', 'some'] as const) : (['some', 'none'] as const);
      const words =
        old === undefined ? 'this is new, and takes access away' : 'this took access away, and is gone';
      change.beside.push({ about: 'bounds', gains, losses, words });
      return [{ change, holder }];
    }
    const both = { gains: 'some', losses: 'some' } as const;
    if (!isSame(old.bounds, wanted.bounds)) {
      change.beside.push({ about: 'bounds', ...both, words: 'what it asks for is other than before' });
    }
    if (!isSame(old.lifetime, wanted.lifetime)) {
      change.beside.push({ about: 'lifetime', ...both, words: 'its tokens live another time' });
    }
    return [{ change, holder }];
  });
}

function kindOf(before: unknown, after: unknown): AccessKind {
  if (before === undefined) return 'opened';
  return after === undefined ? 'closed' : 'changed';
}
