import type { Change } from '../graph/change.ts';
import { type Complete, type Graph, isComplete } from '../graph/graph.ts';
import { namedKey } from '../graph/memberships.ts';
import { keyOfNode, signedInAt } from '../graph/nodes/other-node.ts';
import { method } from '../graph/resources/auth-method.ts';
import { policy } from '../graph/resources/policy.ts';
import type { Subject } from '../graph/subject.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { nameKey } from '../graph/values/name-key.ts';
import { addAll } from '../graph/values/sequences.ts';
import type { EdgeKind, EdgeRow, LeadingRow, NodeKey, NodeOfGraph } from './edges/edge.ts';
import { edges, rowsOf } from './edges/edges.ts';
import { endElsewhere, type FilledBy, type OpenEnd } from './edges/open-end.ts';
import { isRead } from './edges/template-readers.ts';
import { bothKeys, type GraphIndex, mountKey } from './graph-index.ts';
import { type OpenEdge, type Reason, reasonKey, uniqueReasons } from './reasons/reason.ts';

/** What a change reaches beyond the graphs, or in them without being worked out. */
export interface Reached {
  /** Edges that lead out of the graphs. */
  elsewhere: Reason[];
  /** Parts of the graphs that are not worked out. */
  uncertain: Reason[];
  /** What fills in policies, with the reason for which the answer is not known while tokens are not looked at. */
  fillings: ReachedFilling[];
}

export interface ReachedFilling extends FilledBy {
  reason: Reason;
}

/** A row of any kind of node. */
type AnyRow = EdgeRow<NodeOfGraph['node']>;
/** Open ends by the node that leads to them. */
type OpenEnds = ReadonlyMap<NodeKey, readonly OpenEnd[]>;

/**
 * What a change adds to tokens that stay, or takes from them, and the graphs do not tell: the open ends of each row, node by node,
 * that are there on one side alone. A token comes by a role to an entity and to groups, from each group to those around it, and
 * has what all of these give, so that an edge that changes brings all that hangs on its end.
 */
export function reached(before: GraphIndex, after: GraphIndex): Reached {
  const elsewhere: Reason[] = [];
  const uncertain: Reason[] = [];
  const fillings = new Map<string, ReachedFilling>();
  const isOpen = openEdges(before, after);
  for (const { reason, isUncertain, fills } of changedEnds(before, after)) {
    if (fills) fillings.set(`${fills.by} ${reasonKey(reason)}`, { ...fills, reason });
    else if (isUncertain) uncertain.push(reason);
    else if (reason.kind !== 'open-end' || isOpen(reason.edge)) elsewhere.push(reason);
  }
  addAll(elsewhere, lostWith(before, after));
  return {
    elsewhere: uniqueReasons(elsewhere),
    uncertain: uniqueReasons(uncertain),
    fillings: [...fillings.values()],
  };
}

/** The open ends that are on one side alone. */
function changedEnds(before: GraphIndex, after: GraphIndex): OpenEnd[] {
  const ends: OpenEnd[] = [];
  for (const [row, kinds] of rowsWithKinds()) {
    const endsBefore = openEndsBy(before, row, kinds);
    const endsAfter = openEndsBy(after, row, kinds);
    if (endsBefore === undefined || endsAfter === undefined) continue;
    // What is made anew under a name has another id, and nothing of what led to that.
    const areByIds = row.open === undefined && [...kinds].every(isHungOn);
    /** Lists that were compared, by those before: many nodes may lead to one list. */
    const compared = new Map<readonly OpenEnd[], Set<readonly OpenEnd[]>>();
    for (const key of bothKeys(endsBefore, endsAfter)) {
      if (row.isOfStaying && !(endsBefore.has(key) && endsAfter.has(key))) continue;
      const listBefore = endsBefore.get(key) ?? formerEnds(after, row, key);
      const listAfter = endsAfter.get(key) ?? [];
      const comparedWith = getOrMake(compared, listBefore, () => new Set());
      if (comparedWith.has(listAfter)) continue;
      comparedWith.add(listAfter);
      const isAnew = areByIds && after.isFresh(key);
      addAll(ends, isAnew ? listBefore : without(listBefore, listAfter));
      addAll(ends, isAnew ? listAfter : without(listAfter, listBefore));
    }
  }
  return ends;
}

/** Each row with the kinds of nodes that have it, at the place of the last of these. */
function rowsWithKinds(): ReadonlyMap<AnyRow, ReadonlySet<EdgeKind>> {
  const kinds = new Map<AnyRow, ReadonlySet<EdgeKind>>();
  for (const kind of Object.keys(edges) as EdgeKind[])
    for (const row of rowsOf(kind)) {
      const known = kinds.get(row) ?? [];
      kinds.delete(row);
      kinds.set(row, new Set([...known, kind]));
    }
  return kinds;
}

/** The open ends of a row by node; undefined for a row that has none, as all that it leads to is in the graph. */
function openEndsBy(index: GraphIndex, row: AnyRow, kinds: ReadonlySet<EdgeKind>): OpenEnds | undefined {
  const { walk, here } = index;
  const { open } = row;
  if (open !== undefined) return byNode(index, here, kinds, (node, key) => open(node, index, key));
  if (row.how === undefined) {
    if (row.opens === undefined) return undefined;
    return byNode(index, here, kinds, (_, key) => (index.isFresh(key) ? [] : walk.openFrom([key])));
  }
  const { ends, lists, how, to } = row;
  if (ends === undefined || lists === undefined || how !== 'always' || !isHungOn(to)) return undefined;
  return byNode(index, walk.keys(), kinds, (node) => {
    const keys = ends(node, index);
    return keys.length === 0 ? undefined : walk.openFrom(keys);
  });
}

/** What nodes of some kinds come to, by their keys; without those that come to nothing. */
function byNode(
  { walk }: GraphIndex,
  keys: Iterable<NodeKey>,
  kinds: ReadonlySet<EdgeKind>,
  endsOf: (node: NodeOfGraph['node'], key: NodeKey) => readonly OpenEnd[] | undefined,
): OpenEnds {
  const ends = new Map<NodeKey, readonly OpenEnd[]>();
  for (const key of keys) {
    const from = walk.at(key);
    const found = from !== undefined && kinds.has(from.kind) ? endsOf(from.node, key) : undefined;
    if (found !== undefined) ends.set(key, found);
  }
  return ends;
}

/** What a node led to before that has an attribute after alone. */
function formerEnds({ walk }: GraphIndex, row: AnyRow, key: NodeKey): readonly OpenEnd[] {
  const from = walk.at(key);
  return row.how === undefined || row.former === undefined || from === undefined
    ? []
    : [row.former(from.node)];
}

function without(ends: readonly OpenEnd[], others: readonly OpenEnd[]): OpenEnd[] {
  const keys = new Set(others.map(({ key }) => key));
  return ends.filter(({ key }) => !keys.has(key));
}

/** Whether something elsewhere may hang on nodes of a kind. */
function isHungOn(kind: EdgeKind): boolean {
  return rowsOf(kind).some((row) => row.how === undefined && row.open === undefined && row.opens);
}

/** Whether an edge may lead to something that a side of a change does not have; so it may where no row says which lists hold it. */
function openEdges(before: GraphIndex, after: GraphIndex): (edge: OpenEdge) => boolean {
  const known = new Map<OpenEdge, boolean>();
  const isLacking = (list: Complete['list']) =>
    ![before, after].every(({ graph }) => isComplete(graph, list));
  const isOpen = (lists: readonly Complete['list'][]) => lists.length === 0 || lists.some(isLacking);
  return (edge) => getOrMake(known, edge, () => isOpen(listsOf(edge)));
}

/** The lists of a graph that hold all that an open end may be: those of the rows that it stands for. */
export function listsOf(edge: OpenEdge): Complete['list'][] {
  switch (edge) {
    case 'aliases':
      return listsAround('method');
    case 'group-aliases':
      return listsAround('groupAliases');
    case 'identity':
      return [...listsAround('group'), ...listsAround('entity')];
    case 'former':
    case 'former-entity':
      // An alias that is elsewhere, and all that its entity has.
      return [...listsIn(allRows(), ({ to }) => to === 'entityAlias'), ...listsAround('entity')];
    case 'name':
    case 'metadata':
    case 'name-and-metadata':
      return listsIn(allRows(), ({ how }) => how === 'fills in');
    case 'made-again':
      return [];
  }
}

/** The lists of the rows of a kind of node, and of those that guard it. */
function listsAround(kind: EdgeKind): Complete['list'][] {
  return [
    ...listsIn(rowsOf(kind), () => true),
    ...listsIn(allRows(), ({ how, to }) => how === 'guards' && to === kind),
  ];
}

function listsIn(rows: readonly AnyRow[], isMeant: (row: LeadingRow<never>) => boolean): Complete['list'][] {
  const leading = rows.filter((row) => row.how !== undefined);
  return leading.flatMap((row) => (isMeant(row) ? (row.lists ?? []) : []));
}

function allRows(): AnyRow[] {
  return [...rowsWithKinds().keys()];
}

/**
 * Who signs in at a mount that is made anew is another entity: what was there, others make again, and what the old one was
 * denied, the new one is not.
 */
function lostWith(before: GraphIndex, after: GraphIndex): Reason[] {
  const partsAfter = partsByMethod(after);
  return [...partsByMethod(before)].flatMap(([path, parts]) => {
    const left = new Set(partsAfter.get(path)?.map(({ key }) => key));
    const isLost = after.isFresh(mountKey(path)) && parts.some(({ key }) => !left.has(key));
    return isLost ? [endElsewhere(path, 'made-again', { kind: 'method', name: path }).reason] : [];
  });
}

function partsByMethod({ graph: { roles, others = [] } }: GraphIndex) {
  const parts = [
    ...roles.map((role) => ({ path: role.method, key: `role ${nameKey(role.name)}` })),
    ...others.map((node) => ({ path: signedInAt(node) ?? '', key: keyOfNode(node) })),
  ];
  return Map.groupBy(parts, ({ path }) => path);
}

/**
 * Whether what is not known of a subject may reach a token. What only fills in templates does not where all policies are
 * known and none reads it; an attribute without a row may reach everything.
 */
export function mayReach({ before, after, unknown }: Change, { field }: Subject): boolean {
  const rows = allRows().filter(({ attribute }) => attribute === field);
  const isFilling =
    rows.length > 0 && rows.every(({ decides }) => decides.every((what) => what === 'templates'));
  if (!isFilling || unknown.some(({ type }) => type === policy.type)) return true;
  const parts = rows.map((row) => (row.how === undefined ? '' : (row.readAs ?? '')));
  const isUnread = (graph: Graph) =>
    isComplete(graph, 'policies') && !parts.some((part) => isRead(graph, part));
  return ![before, after].every(isUnread);
}

/** Keys of what a change makes, or makes anew: its id is not that of anything before. */
export function madeBy(
  before: GraphIndex,
  after: GraphIndex,
  { replaced = [], remade = [], remadeOthers = [] }: Partial<Change>,
): Set<NodeKey> {
  return new Set([
    ...[...after.mounts.keys(), ...after.standing.keys()].filter(
      (key) => !before.mounts.has(key) && !before.named.has(key),
    ),
    ...[...replaced, ...remade].flatMap(({ type, name }) => {
      const kind = (['group', 'entity'] as const).find((candidate) => candidate === type);
      if (kind !== undefined) return namedKey({ kind, name });
      return type === method.type ? mountKey(name) : name;
    }),
    ...remadeOthers.map((key) => {
      const node = after.others.get(key);
      return node?.kind === 'otherMethod' ? mountKey(node.path) : key;
    }),
  ]);
}
