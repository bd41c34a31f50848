import type { Change } from '../graph/change.ts';
import type { Graph } from '../graph/graph.ts';
import { type Named, namedKey } from '../graph/memberships.ts';
import {
  aliasOfNode,
  effectOf,
  entityOfNode,
  ofKind,
  picks,
  signedInAt,
  wordsOf,
} from '../graph/nodes/other-node.ts';
import { picksPolicies } from '../graph/nodes/other-role.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { defined } from '../graph/values/loose-values.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { addAll } from '../graph/values/sequences.ts';
import { type AccessKind, type Principals, principalsWith } from './access-change.ts';
import { addBrought, addRequired, type PrincipalsOfMount } from './brought.ts';
import { changedLists } from './grants.ts';
import { bothKeys, GraphIndex } from './graph-index.ts';
import { unguarded } from './guards.ts';
import { limitsOfMounts, limitsOfOther } from './limited-tokens.ts';
import { otherEffect } from './other-effect.ts';
import { madeBy, type Reached, reached } from './reached.ts';
import { byRole, unseenRoles } from './role-principals.ts';
import { isLimit } from './sign-in/token-limits.ts';

/** The principals of a change, as they can be together in one token. */
export interface PrincipalsOfChange {
  /** Roles that are there before and after, and group aliases, by the path of their auth method. */
  mounts: Map<string, PrincipalsOfMount>;
  /** Roles that open, close or let in others: who is new had nothing before. */
  newcomers: Principals[];
  /** Entities, and groups whose aliases are not here. */
  identities: Principals[];
  /** Nodes of other kinds, by whom no one signs in at an auth method. */
  otherPrincipals: Principals[];
  reached: Reached;
}

export function principalsOf(change: Pick<Change, 'before' | 'after'> & Partial<Change>): PrincipalsOfChange {
  const { before, after } = change;
  const [unseenBefore, unseenAfter] = unseenRoles(before, after);
  const was = new GraphIndex(before, unseenBefore);
  const is = new GraphIndex(after, unseenAfter);
  is.fresh = madeBy(was, is, change);
  const mounts: PrincipalsOfChange['mounts'] = new Map();
  const newcomers: Principals[] = [];
  const otherPrincipals: Principals[] = [];
  const add = (list: 'roles' | 'groups', one: Principals) => {
    const { method = '' } = one;
    const emptyMount = () => ({ roles: [], groups: [], readsGroups: is.readsGroups(method) });
    getOrMake(mounts, method, emptyMount)[list].push(one);
  };
  for (const one of byRole(was, is)) {
    if (one.change.kind === 'changed') add('roles', one);
    else newcomers.push(one);
  }
  for (const one of byAlias(was, is)) add('groups', one);
  for (const { one, isUnited, isKept } of byOther(was, is)) {
    if (one.method !== undefined && (isUnited || isKept)) add(isUnited ? 'groups' : 'roles', one);
    else otherPrincipals.push(one);
  }
  for (const { one, isUnited } of limitsOfMounts(was, is)) {
    if (isUnited) add('groups', one);
    else otherPrincipals.push(one);
  }
  addRequired(mounts, was, is);
  addBrought(mounts, was, is);
  addPicked(mounts, was, is);
  return { mounts, newcomers, identities: byIdentity(was, is), otherPrincipals, reached: reached(was, is) };
}

/** All of them; one that can be had at several mounts more than once. */
export function everyPrincipal({
  mounts,
  newcomers,
  identities,
  otherPrincipals,
}: PrincipalsOfChange): Principals[] {
  const ofMounts = [...mounts.values()];
  return [
    ...newcomers,
    ...ofMounts.flatMap(({ roles }) => roles),
    ...ofMounts.flatMap(({ groups }) => groups),
    ...otherPrincipals,
    ...identities,
  ];
}

/**
 * By a token role that names no policies, the maker leaves out any of its own (openbao vault/token_store.go,
 * `handleCreateCommon`).
 */
function addPicked(mounts: PrincipalsOfChange['mounts'], was: GraphIndex, is: GraphIndex): void {
  const hasOpen = ({ graph }: GraphIndex) =>
    ofKind(graph.others, 'otherRole').some(
      (role) => picksPolicies(role) && role.policies.length === 0 && !role.isOpaque,
    );
  const isOpen = { before: hasOpen(was), after: hasOpen(is) };
  if (!isOpen.before && !isOpen.after) return;
  for (const { roles } of mounts.values())
    addAll(
      roles,
      roles.filter(({ kind }) => kind === 'role').flatMap((role) => pickedOf(role, isOpen)),
    );
}

function byAlias(was: GraphIndex, is: GraphIndex): Principals[] {
  return bothKeys(was.aliases, is.aliases).flatMap((key) => {
    const [old, wanted] = [was.aliases.get(key), is.aliases.get(key)];
    const alias = wanted ?? old;
    if (alias === undefined) return [];
    const { method, name, group } = alias;
    const had = old === undefined ? [] : was.policiesOf('group', old.group);
    const has = wanted === undefined ? [] : is.policiesOf('group', wanted.group);
    // Where no role here reads groups, none here gives them. Roles elsewhere stay as they are.
    const isReadElsewhere = [was, is].some((side) => side.mayReadElsewhere(method));
    const wasRead = isReadElsewhere || was.readsGroups(method);
    const isRead = isReadElsewhere || is.readsGroups(method);
    const by = { kind: 'alias' as const, method, name, group };
    const given = {
      kind: 'alias' as const,
      by,
      method,
      name,
      group,
      before: wasRead ? had : [],
      after: isRead ? has : [],
    };
    const kind = kindOf(old !== undefined && wasRead, wanted !== undefined && isRead);
    const leaves =
      wanted === undefined && wasRead && was.standing.has(namedKey({ kind: 'group', name: group }));
    return [principalsWith(kind, { ...given, leaves }, changedLists({ before: had, after: has }))];
  });
}

/** Entities, internal groups, and external groups whose aliases are elsewhere. */
function byIdentity(before: GraphIndex, after: GraphIndex): Principals[] {
  const [was, is] = [new Map(before.identities), new Map(after.identities)];
  const led = new Set([...before.graph.aliases, ...after.graph.aliases].map(({ group }) => nameKey(group)));
  const kept = new Set(after.graph.groups.map(({ name }) => nameKey(name)));
  // One that is made here has no members before it has an alias.
  for (const { name } of before.graph.groups) {
    if (led.has(nameKey(name))) continue;
    const group = { kind: 'group' as const, name };
    was.set(namedKey(group), group);
    if (kept.has(nameKey(name))) is.set(namedKey(group), group);
  }
  // Members of a group that is made anew are in the new group only if its own list names them.
  const listed = new Set(
    (after.graph.identities ?? []).flatMap((one) => (one.members?.length ? namedKey(one) : [])),
  );
  for (const key of after.fresh) if (was.has(key) && !listed.has(key)) is.delete(key);
  const anywhere = new Set([before, after].flatMap(withoutAlias));
  return [...new Map([...was, ...is])].map(([key, { kind, name }]) => {
    const policies = was.has(key) ? before.policiesOf(kind, name) : [];
    return principalsWith(kindOf(was.has(key), is.has(key)), {
      kind,
      by: { kind, name },
      name,
      before: policies,
      after: is.has(key) ? after.policiesOf(kind, name) : [],
      within: bothWithin([before, after], { kind, name }),
      isAnywhere: anywhere.has(key),
      leaves: policies.length > 0 && !is.has(key),
    });
  });
}

/** Keys of entities without an alias in the graph, and of their groups. */
function withoutAlias({ entityAliases, named, memberships }: GraphIndex): string[] {
  const placed = new Set([...entityAliases.values()].map(({ entity }) => nameKey(entity)));
  return [...named].flatMap(([key, one]) =>
    one.kind === 'entity' && !placed.has(nameKey(one.name))
      ? [key, ...memberships.around(one).map((outer) => outer.key)]
      : [],
  );
}

/** What has a group or an entity in it on both sides: what happens to all in that happens to these, too. */
function bothWithin(sides: readonly GraphIndex[], inner: Named): string[] {
  const [had, has] = sides.map(({ memberships }) => memberships.around(inner).map(({ key }) => key));
  return had?.filter((key) => has?.includes(key)) ?? [];
}

function byOther(before: GraphIndex, after: GraphIndex) {
  return bothKeys(before.others, after.others).flatMap((key) => {
    const [old, wanted] = [before.others.get(key), after.others.get(key)];
    const node = wanted ?? old;
    if (node === undefined) return [];
    const name = wordsOf(node);
    const isUnited = (wanted === undefined ? before : after).isUnited(key);
    const isKept = old !== undefined && wanted !== undefined;
    const entity = isKept && entityOfNode(old) === entityOfNode(wanted) ? entityOfNode(wanted) : undefined;
    const itself = { kind: 'entity' as const, name: entity ?? '' };
    const within = entity === undefined ? [] : [namedKey(itself), ...bothWithin([before, after], itself)];
    const limits = limitsOfOther([before, old], [after, wanted]);
    const given = {
      kind: 'other' as const,
      by: { kind: 'other' as const, name },
      within,
      name,
      node,
      ...defined({ method: signedInAt(node), alias: aliasOfNode(node) }),
      before: [...before.policiesOfOther(old), ...limits.before],
      after: [...after.policiesOfOther(wanted), ...limits.after],
    };
    const kind = effectOf(node) === 'takes' ? 'changed' : kindOf(old !== undefined, wanted !== undefined);
    // A role that goes takes its tokens along; what is united with others leaves them.
    const principals = principalsWith(kind, given, isKept || isUnited ? changedLists(given) : []);
    const escaped = isKept ? unguarded(before, after, old, wanted) : [];
    const itsOwn = { ...principals.change, ...otherEffect(old, wanted) };
    const change = { ...itsOwn, also: [...itsOwn.also, ...escaped] };
    const one = { ...principals, change };
    const parts = isKept && picks(node) ? pickedOf(one) : [];
    return [one, ...parts].map((each) => ({ one: each, isUnited, isKept }));
  });
}

/**
 * Who makes a token by a token role picks of its policies: one alone may give what another takes away. What several give
 * together, one of them gives alone.
 *
 * @param isOpen whether there are such tokens; where there are none, the others have all of the policies
 */
function pickedOf(whole: Principals, isOpen = { before: true, after: true }): Principals[] {
  const isKept = (one: string) => one === 'default' || isLimit(one);
  const named = (list: readonly string[]) => list.filter((one) => !isKept(one));
  if (new Set(named([...whole.before, ...whole.after])).size < 2) return [];
  return named(isOpen.after ? whole.after : whole.before).map((policy) => {
    const alone = (list: readonly string[]) => list.filter((one) => one === policy || isKept(one));
    const by = { kind: 'picked' as const, from: whole.by, policy };
    const lists = {
      before: isOpen.before && whole.before.includes(policy) ? alone(whole.before) : whole.before,
      after: isOpen.after ? alone(whole.after) : whole.after,
    };
    return principalsWith('changed', { ...whole, ...lists, kind: 'other', by, partOf: whole }, []);
  });
}

function kindOf(isBefore: boolean, isAfter: boolean): AccessKind {
  if (!isBefore) return isAfter ? 'opened' : 'changed';
  return isAfter ? 'changed' : 'closed';
}

/** Principals who have a policy by a grant that is not here. */
export function unseenPrincipals({ policies: before }: Graph, { policies: after }: Graph): Principals[] {
  const was = new Set(before.map(({ name }) => policyKey(name)));
  const is = new Set(after.map(({ name }) => policyKey(name)));
  return [...new Set([...was, ...is])].sort().map((name) => {
    const given = {
      kind: 'policy' as const,
      by: { kind: 'policy' as const, name },
      name,
      before: was.has(name) ? [name] : [],
      after: is.has(name) ? [name] : [],
    };
    // A role elsewhere may name a policy before it is made.
    return principalsWith('changed', given, [{ before: [name], after: [name] }]);
  });
}
