import type { Change } from '../model/change.ts';
import type { OtherAccess } from '../model/graph.ts';
import { namedKey } from '../model/memberships.ts';
import { isSame } from '../model/resources/field.ts';
import { nameKey } from '../model/values/name-key.ts';
import { type AccessChange, type AccessKind, type Principals, unchanged } from './access-change.ts';
import { movesOf, type Source } from './grants.ts';
import { bothKeys, GraphIndex, unique, unseenGrants } from './graph-index.ts';
import { byRole, unseenRoles } from './role-principals.ts';

/** The principals of a change, as they can be together in one token. */
export interface PrincipalsOfChange {
  /** Those of roles that are there before and after, and of group aliases, by the path of their auth method. */
  mounts: Map<string, { roles: Principals[]; groups: Principals[] }>;
  /** Roles that open, close or let in others: who is new had nothing before. */
  newcomers: Principals[];
  /** Entities, and groups whose aliases are not here. They may sign in anywhere. */
  identities: Principals[];
  /** Accesses of other kinds that are not by an auth method. */
  others: Principals[];
  /** Grants elsewhere that the change may add or take away with an entity, a group or an alias, in words. */
  unseen: string[];
}

export function principalsOf({
  before,
  after,
  replaced = [],
}: Pick<Change, 'before' | 'after'> & Partial<Change>): PrincipalsOfChange {
  const [unseenBefore, unseenAfter] = unseenRoles(before, after);
  const [was, is] = [new GraphIndex(before, unseenBefore), new GraphIndex(after, unseenAfter)];
  const roles = byRole(was, is);
  const others = byOther(was, is);
  const mounts: PrincipalsOfChange['mounts'] = new Map();
  const at = (path = '') => {
    const there = mounts.get(path) ?? { roles: [], groups: [] };
    mounts.set(path, there);
    return there;
  };
  for (const one of roles) if (one.change.kind === 'changed') at(one.source.method).roles.push(one);
  for (const one of byAlias(was, is)) at(one.source.method).groups.push(one);
  for (const { principals, unites, isKept } of others) {
    if (principals.source.method === undefined) continue;
    if (unites) at(principals.source.method).groups.push(principals);
    else if (isKept) at(principals.source.method).roles.push(principals);
  }
  const isApart = ({ principals, unites, isKept }: (typeof others)[number]) =>
    principals.source.method === undefined || (!unites && !isKept);
  return {
    mounts,
    newcomers: roles.filter(({ change }) => change.kind !== 'changed'),
    identities: byIdentity(was, is),
    others: others.filter(isApart).map(({ principals }) => principals),
    unseen: unseenGrants(
      was,
      is,
      replaced.map(({ name }) => name),
    ),
  };
}

function byAlias(was: GraphIndex, is: GraphIndex): Principals[] {
  return bothKeys(was.aliases, is.aliases).flatMap((key): Principals[] => {
    const [old, wanted] = [was.aliases.get(key), is.aliases.get(key)];
    const alias = wanted ?? old;
    if (alias === undefined) return [];
    const { method, name, group } = alias;
    const [had, has] = [
      old === undefined ? [] : was.policiesOf('group', old.group),
      wanted === undefined ? [] : is.policiesOf('group', wanted.group),
    ];
    // Where no role here reads groups, none here gives them.
    const [wasRead, isRead] = [was.readsGroups(method), is.readsGroups(method)];
    const source: Source = {
      kind: 'alias',
      by: `${JSON.stringify(name)} of auth/${method} (group ${JSON.stringify(group)})`,
      method,
      name,
      group,
      before: wasRead ? had : [],
      after: isRead ? has : [],
    };
    const kind = kindOf(old !== undefined && wasRead, wanted !== undefined && isRead);
    return [{ source, change: unchanged(kind, source), moves: movesOf({ before: had, after: has }) }];
  });
}

/** Entities, internal groups, and external groups whose aliases are elsewhere. */
function byIdentity(before: GraphIndex, after: GraphIndex): Principals[] {
  const [was, is] = [new Map(before.identities), new Map(after.identities)];
  const aliases = [...before.graph.aliases, ...after.graph.aliases];
  const led = new Set(aliases.map(({ group }) => nameKey(group)));
  const kept = new Set(after.graph.groups.map(({ name }) => nameKey(name)));
  // One that is made here has no members before it has an alias.
  for (const { name } of before.graph.groups) {
    if (led.has(nameKey(name))) continue;
    const group = { kind: 'group' as const, name };
    was.set(namedKey(group), group);
    if (kept.has(nameKey(name))) is.set(namedKey(group), group);
  }
  return [...new Map([...was, ...is])].map(([key, { kind, name }]) => {
    const source: Source = {
      kind,
      by: `${kind} ${JSON.stringify(name)}`,
      name,
      before: was.has(key) ? before.policiesOf(kind, name) : [],
      after: is.has(key) ? after.policiesOf(kind, name) : [],
    };
    return {
      source,
      change: unchanged(kindOf(was.has(key), is.has(key)), source),
      moves: movesOf(source),
    };
  });
}

function byOther(before: GraphIndex, after: GraphIndex) {
  const [was, is] = [before, after].map(
    ({ graph }) => new Map((graph.others ?? []).map((one) => [one.name, one])),
  ) as [Map<string, OtherAccess>, Map<string, OtherAccess>];
  const policiesIn = (side: GraphIndex, one: OtherAccess | undefined) =>
    one === undefined
      ? []
      : unique([
          ...one.policies,
          ...(one.entity === undefined ? [] : side.policiesOf('entity', one.entity)),
          ...(one.group === undefined ? [] : side.policiesOf('group', one.group)),
        ]);
  return bothKeys(was, is).map((name): { principals: Principals; unites: boolean; isKept: boolean } => {
    const [old, wanted] = [was.get(name), is.get(name)];
    const { effect, method, unites = false } = (wanted ?? old) as OtherAccess;
    const source: Source = {
      kind: 'other',
      by: name,
      name,
      ...(method !== undefined && { method }),
      before: policiesIn(before, old),
      after: policiesIn(after, wanted),
    };
    const isKept = old !== undefined && wanted !== undefined;
    const change = otherChange(source, effect, old, wanted);
    // A role that goes takes its tokens along; what is united with others leaves them.
    return { principals: { source, change, moves: isKept || unites ? movesOf(source) : [] }, unites, isKept };
  });
}

function otherChange(
  source: Source,
  effect: OtherAccess['effect'],
  old: OtherAccess | undefined,
  wanted: OtherAccess | undefined,
): AccessChange {
  const isNew = old === undefined;
  const change = unchanged(effect === 'takes' ? 'changed' : kindOf(!isNew, wanted !== undefined), source);
  if (old !== undefined && wanted !== undefined) {
    const both = { gains: 'some', losses: 'some' } as const;
    if (!isSame(old.bounds, wanted.bounds))
      change.also.push({ about: 'bounds', ...both, words: 'what it asks for is other than before' });
    if (!isSame(old.lifetime, wanted.lifetime))
      change.also.push({ about: 'lifetime', ...both, words: 'its tokens live another time' });
    return change;
  }
  const [side, other] = isNew ? (['gains', 'losses'] as const) : (['losses', 'gains'] as const);
  if (effect === 'takes') {
    const words = isNew ? 'this is new, and takes access away' : 'this took access away, and is gone';
    change.also.push({ about: 'bounds', gains: 'none', losses: 'none', [other]: 'some', words });
    return change;
  }
  const open = effect === 'gives' ? {} : { [other]: 'unknown', uncertain: [`what ${source.name} does`] };
  return { ...change, ...open, [side]: 'some' };
}

function kindOf(isBefore: boolean, isAfter: boolean): AccessKind {
  if (!isBefore) return isAfter ? 'opened' : 'changed';
  return isAfter ? 'changed' : 'closed';
}
