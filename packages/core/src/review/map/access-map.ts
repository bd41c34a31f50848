import { nameKey } from '../../graph/values/name-key.ts';

/** From left to right. A line joins two that are next to each other. */
export const columns = ['principals', 'roles and groups', 'policies', 'paths'] as const;
export type Column = (typeof columns)[number];

/** Whether it is there before and after a change, after it alone, or before it alone. */
export type State = 'same' | 'appears' | 'goes';

export interface MapNode {
  /** `n1`, `n2`, …: from the first of the first column to the last of the last. */
  id: string;
  column: Column;
  /** What it is, in words. */
  title: string;
  /** What else tells it apart. */
  detail: string;
  state: State;
}

export interface MapEdge {
  from: string;
  to: string;
  /** Capabilities, where it leads to a path. */
  label: string;
  state: State;
}

/** Who has what, as nodes and lines: what grants say, whichever rule decides. */
export interface AccessMap {
  nodes: MapNode[];
  edges: MapEdge[];
  /** What is missing to draw everything, in words. */
  missing: string[];
}

/** The part of a map around some of its roles and groups, by their titles. It has all that leads from them or to them. */
export function mapAround(map: AccessMap, titles: readonly string[]): AccessMap {
  const wanted = new Set(titles.map(nameKey));
  const chosen = map.nodes
    .filter(({ column, title }) => column === 'roles and groups' && wanted.has(nameKey(title)))
    .map(({ id }) => id);
  return partAround(map, chosen, chosen);
}

/** The part of a map that changes: what appears and goes, all that leads there, and all that is reached from there. */
export function mapOfChange(map: AccessMap): AccessMap {
  const changed = <T extends { state: State }>(all: readonly T[]) =>
    all.filter(({ state }) => state !== 'same');
  const nodes = changed(map.nodes).map(({ id }) => id);
  const edges = changed(map.edges);
  return partAround(
    map,
    [...nodes, ...edges.map(({ from }) => from)],
    [...nodes, ...edges.map(({ to }) => to)],
  );
}

/** All that leads to the first ones, and all that is reached from the second ones. */
function partAround(map: AccessMap, to: readonly string[], from: readonly string[]): AccessMap {
  const kept = new Set([...reached(to, map.edges, 'to', 'from'), ...reached(from, map.edges, 'from', 'to')]);
  return sorted({
    ...map,
    nodes: map.nodes.filter(({ id }) => kept.has(id)),
    edges: map.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  });
}

/** These nodes, and all that lines lead to from there: against their direction, where `near` is `to`. */
function reached(
  ids: readonly string[],
  edges: readonly MapEdge[],
  near: 'from' | 'to',
  far: 'from' | 'to',
): Set<string> {
  const lines = Map.groupBy(edges, (edge) => edge[near]);
  const reached = new Set(ids);
  // A set also goes through what is added meanwhile.
  for (const id of reached) for (const edge of lines.get(id) ?? []) reached.add(edge[far]);
  return reached;
}

/** The same map, in an order that does not depend on the graphs' own, with ids in that order. */
export function sorted({ nodes, edges, missing }: AccessMap): AccessMap {
  const text = ({ title, detail }: MapNode) => `${title} ${detail}`;
  const inOrder = columns.flatMap((column) =>
    nodes.filter((node) => node.column === column).sort((one, other) => (text(one) < text(other) ? -1 : 1)),
  );
  const ids = new Map(inOrder.map(({ id }, index) => [id, `n${index + 1}`]));
  const places = new Map(inOrder.map(({ id }, index) => [id, index]));
  const place = (id: string) => places.get(id) ?? 0;
  return {
    nodes: inOrder.map((node, index) => ({ ...node, id: `n${index + 1}` })),
    edges: edges
      .toSorted((one, other) => place(one.from) - place(other.from) || place(one.to) - place(other.to))
      .map((edge) => ({ ...edge, from: ids.get(edge.from) ?? edge.from, to: ids.get(edge.to) ?? edge.to })),
    missing,
  };
}
