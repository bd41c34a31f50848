import type { Change } from '../graph/change.ts';
import type { Graph } from '../graph/graph.ts';
import { type Named, namedKey } from '../graph/memberships.ts';
import {
  aliasOfNode,
  effectOf,
  entityOfNode,
  picks,
  signedInAt,
  wordsOf,
} from '../graph/nodes/other-node.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { defined } from '../graph/values/loose-values.ts';
import { nameKey, policyKey } from '../graph/values/name-key.ts';
import { addAll } from '../graph/values/sequences.ts';
import { type AccessKind, type Principals, principalsWith } from './access-change.ts';
import { addBrought, addRequired, type PrincipalsOfMount } from './brought.ts';
import type { NodeKey } from './edges/edge.ts';
import { changedLists } from './grants.ts';
import { bothKeys, GraphIndex } from './graph-index.ts';
import { unguarded } from './guards.ts';
import { type Leavings, newlyLeft } from './leaving.ts';
import { limitsOfMounts, limitsOfOther } from './limited-tokens.ts';
import { Makers } from './made-tokens.ts';
import { otherEffect } from './other-effect.ts';
import type { Side } from './policy-sides.ts';
import { madeBy, type Reached, reached } from './reached.ts';
import { byRole, unseenRoles } from './role-principals.ts';

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
  /** The graphs, as they were looked up. */
  indexes: Record<Side, GraphIndex>;
}

export function principalsOf(change: Pick<Change, 'before' | 'after'> & Partial<Change>): PrincipalsOfChange {
  const [unseenBefore, unseenAfter] = unseenRoles(change.before, change.after);
  const before = new GraphIndex(change.before, unseenBefore);
  const after = new GraphIndex(change.after, unseenAfter);
  after.fresh = madeBy(before, after, change);
  const left = newlyLeft(before, after);
  const mounts: PrincipalsOfChange['mounts'] = new Map();
  const newcomers: Principals[] = [];
  const otherPrincipals: Principals[] = [];
  const add = (list: 'roles' | 'groups', principals: Principals) => {
    const { method = '' } = principals;
    const readsGroups = after.readsGroups(method);
    const emptyMount = () => ({ roles: [], groups: [], left: [], made: [], readsGroups });
    getOrMake(mounts, method, emptyMount)[list].push(principals);
  };
  for (const role of byRole(before, after)) {
    if (role.change.kind === 'changed') add('roles', role);
    else newcomers.push(role);
  }
  for (const alias of byAlias(before, after)) add('groups', alias);
  const makers = new Makers(before, after);
  for (const { principals, isUnited, isKept } of byOther(before, after, left, makers)) {
    if (principals.method !== undefined && (isUnited || isKept))
      add(isUnited ? 'groups' : 'roles', principals);
    else otherPrincipals.push(principals);
  }
  for (const { principals, isUnited } of limitsOfMounts(before, after)) {
    if (isUnited) add('groups', principals);
    else otherPrincipals.push(principals);
  }
  addRequired(mounts, before, after);
  addBrought(mounts, before, after, left);
  addMade(mounts, otherPrincipals, makers);
  return {
    mounts,
    newcomers,
    identities: byIdentity(before, after),
    otherPrincipals,
    reached: reached(before, after),
    indexes: { before, after },
  };
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
    ...ofMounts.flatMap(({ groups, left, made }) => [...groups, ...left, ...made]),
    ...otherPrincipals,
    ...identities,
  ];
}

/** Adds tokens that others make with a part of their policies. Those that are not certain are judged without any group. */
function addMade(mounts: PrincipalsOfChange['mounts'], otherPrincipals: Principals[], makers: Makers): void {
  addAll(
    otherPrincipals,
    otherPrincipals.flatMap((each) => makers.madeBy(each)),
  );
  const isCertain = ({ left }: Principals) => left === undefined;
  for (const { roles, groups, made } of mounts.values()) {
    const ofRoles = roles.flatMap((role) => makers.madeBy(role));
    const ofGroups = groups.flatMap((group) => makers.madeBy(group));
    addAll(roles, ofRoles.filter(isCertain));
    addAll(made, ofGroups.filter(isCertain));
    addAll(
      otherPrincipals,
      [...ofRoles, ...ofGroups].filter((each) => !isCertain(each)),
    );
  }
}

function byAlias(before: GraphIndex, after: GraphIndex): Principals[] {
  return bothKeys(before.aliases, after.aliases).flatMap((key) => {
    const aliasBefore = before.aliases.get(key);
    const aliasAfter = after.aliases.get(key);
    const alias = aliasAfter ?? aliasBefore;
    if (alias === undefined) return [];
    const { method, name, group } = alias;
    const policies = {
      before: aliasBefore === undefined ? [] : before.policiesOf('group', aliasBefore.group),
      after: aliasAfter === undefined ? [] : after.policiesOf('group', aliasAfter.group),
    };
    // Where no role here reads groups, none here gives them. Roles elsewhere stay as they are.
    const isReadElsewhere = [before, after].some((index) => index.mayReadElsewhere(method));
    const isReadBefore = isReadElsewhere || before.readsGroups(method);
    const isReadAfter = isReadElsewhere || after.readsGroups(method);
    const kind = kindOf(aliasBefore !== undefined && isReadBefore, aliasAfter !== undefined && isReadAfter);
    const isHere = before.standing.has(namedKey({ kind: 'group', name: group }));
    const principals = {
      kind: 'alias' as const,
      by: { kind: 'alias' as const, method, name, group },
      method,
      name,
      group,
      starts: startsAt(
        key,
        aliasBefore !== undefined && isReadBefore,
        aliasAfter !== undefined && isReadAfter,
      ),
      before: isReadBefore ? policies.before : [],
      after: isReadAfter ? policies.after : [],
      leaves: aliasAfter === undefined && isReadBefore && isHere,
    };
    const isLeft = isReadBefore && !isReadAfter;
    return [principalsWith(kind, principals, changedLists(isLeft ? principals : policies))];
  });
}

/** Entities, internal groups, and external groups whose aliases are elsewhere. */
function byIdentity(before: GraphIndex, after: GraphIndex): Principals[] {
  const identitiesBefore = new Map(before.identities);
  const identitiesAfter = new Map(after.identities);
  const led = new Set([...before.graph.aliases, ...after.graph.aliases].map(({ group }) => nameKey(group)));
  const groupsAfter = new Set(after.graph.groups.map(({ name }) => nameKey(name)));
  // One that is made here has no members before it has an alias.
  for (const { name } of before.graph.groups) {
    if (led.has(nameKey(name))) continue;
    const group = { kind: 'group' as const, name };
    identitiesBefore.set(namedKey(group), group);
    if (groupsAfter.has(nameKey(name))) identitiesAfter.set(namedKey(group), group);
  }
  // Members of a group that is made anew are in the new group only if its own list names them.
  const listed = new Set(
    (after.graph.identities ?? []).flatMap((identity) =>
      identity.members?.length ? namedKey(identity) : [],
    ),
  );
  for (const key of after.fresh)
    if (identitiesBefore.has(key) && !listed.has(key)) identitiesAfter.delete(key);
  const anywhere = new Set([before, after].flatMap(withoutAlias));
  return [...new Map([...identitiesBefore, ...identitiesAfter])].map(([key, { kind, name }]) => {
    const isBefore = identitiesBefore.has(key);
    const isAfter = identitiesAfter.has(key);
    const policies = isBefore ? before.policiesOf(kind, name) : [];
    return principalsWith(kindOf(isBefore, isAfter), {
      kind,
      by: { kind, name },
      name,
      starts: startsAt(key, isBefore, isAfter),
      before: policies,
      after: isAfter ? after.policiesOf(kind, name) : [],
      within: bothWithin([before, after], { kind, name }),
      isAnywhere: anywhere.has(key),
      leaves: policies.length > 0 && !isAfter,
    });
  });
}

/** Keys of entities without an alias in the graph, and of their groups. */
function withoutAlias({ entityAliases, named, memberships }: GraphIndex): string[] {
  const placed = new Set([...entityAliases.values()].map(({ entity }) => nameKey(entity)));
  return [...named].flatMap(([key, identity]) =>
    identity.kind === 'entity' && !placed.has(nameKey(identity.name))
      ? [key, ...memberships.around(identity).map((outer) => outer.key)]
      : [],
  );
}

/** What has a group or an entity in it on both sides: what happens to all in that happens to these, too. */
function bothWithin([before, after]: readonly [GraphIndex, GraphIndex], inner: Named): string[] {
  const keysIn = ({ memberships }: GraphIndex) => memberships.around(inner).map(({ key }) => key);
  const keysAfter = new Set(keysIn(after));
  return keysIn(before).filter((key) => keysAfter.has(key));
}

function byOther(before: GraphIndex, after: GraphIndex, left: Leavings, makers: Makers) {
  return bothKeys(before.others, after.others).flatMap((key) => {
    const nodeBefore = before.others.get(key);
    const nodeAfter = after.others.get(key);
    const node = nodeAfter ?? nodeBefore;
    if (node === undefined) return [];
    const name = wordsOf(node);
    const isUnited = (nodeAfter === undefined ? before : after).isUnited(key);
    const isKept = nodeBefore !== undefined && nodeAfter !== undefined;
    const entityAfter = nodeAfter && entityOfNode(nodeAfter);
    const entity = isKept && entityOfNode(nodeBefore) === entityAfter ? entityAfter : undefined;
    const limits = limitsOfOther([before, nodeBefore], [after, nodeAfter]);
    const source = {
      kind: 'other' as const,
      by: { kind: 'other' as const, name },
      within: entity === undefined ? [] : withinEntity(before, after, entity),
      name,
      node,
      starts: startsAt(key, nodeBefore !== undefined, nodeAfter !== undefined),
      ...defined({ method: signedInAt(node), alias: aliasOfNode(node) }),
      before: [...before.policiesOfOther(nodeBefore), ...limits.before],
      after: [...after.policiesOfOther(nodeAfter), ...limits.after],
    };
    const isTaking = effectOf(node) === 'takes';
    const kind = isTaking ? 'changed' : kindOf(nodeBefore !== undefined, nodeAfter !== undefined);
    // A role that goes takes its tokens along; what is united with others leaves them.
    const principals = principalsWith(kind, source, isKept || isUnited ? changedLists(source) : []);
    const escaped = isKept ? unguarded(before, after, nodeBefore, nodeAfter, left) : [];
    const itsOwn = { ...principals.change, ...otherEffect(nodeBefore, nodeAfter) };
    const whole = { ...principals, change: { ...itsOwn, also: [...itsOwn.also, ...escaped] } };
    const parts = isKept && picks(node) ? makers.pickedOf(whole) : [];
    return [whole, ...parts].map((each) => ({ principals: each, isUnited, isKept }));
  });
}

/** An entity, and the groups that it is in on both sides. */
function withinEntity(before: GraphIndex, after: GraphIndex, name: string): string[] {
  const entity = { kind: 'entity' as const, name };
  return [namedKey(entity), ...bothWithin([before, after], entity)];
}

function startsAt(key: NodeKey, isBefore: boolean, isAfter: boolean): NonNullable<Principals['starts']> {
  return { ...(isBefore && { before: key }), ...(isAfter && { after: key }) };
}

function kindOf(isBefore: boolean, isAfter: boolean): AccessKind {
  if (!isBefore) return isAfter ? 'opened' : 'changed';
  return isAfter ? 'changed' : 'closed';
}

/** Principals who have a policy by a grant that is not here. */
export function unseenPrincipals(before: Graph, after: Graph): Principals[] {
  const namesIn = ({ policies }: Graph) => new Set(policies.map(({ name }) => policyKey(name)));
  const namesBefore = namesIn(before);
  const namesAfter = namesIn(after);
  return [...new Set([...namesBefore, ...namesAfter])].sort().map((name) => {
    const source = {
      kind: 'policy' as const,
      by: { kind: 'policy' as const, name },
      name,
      before: namesBefore.has(name) ? [name] : [],
      after: namesAfter.has(name) ? [name] : [],
    };
    // A role elsewhere may name a policy before it is made.
    return principalsWith('changed', source, [{ before: [name], after: [name] }]);
  });
}
