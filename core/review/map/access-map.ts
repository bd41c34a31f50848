import { nameKey } from '../../model/values/name-key.ts';

/** From left to right. A line joins two that are next to each other. */
export const columns = ['principals', 'roles and groups', 'policies', 'paths'] as const;
export type Column = (typeof columns)[number];

/** Whether it is there before and after a change, after it alone, or before it alone. */
export type State = 'same' | 'appears' | 'goes';

export interface MapNode {
  /** `n1`, `n2`, …: from the top of the first column to the bottom of the last. */
  id: string;
  column: Column;
  label: string;
  /** What else tells it apart. */
  detail: string;
  /** The whole of it, in words. */
  title: string;
  state: State;
}

export interface MapEdge {
  from: string;
  to: string;
  /** Capabilities, where it leads to a path. */
  label: string;
  state: State;
}

/** Who has what, as a drawing: what grants say, whichever rule decides. */
export interface AccessMap {
  nodes: MapNode[];
  edges: MapEdge[];
  /** What is missing to draw everything, in words. */
  missing: string[];
}

/** The part of a map that these of its roles and groups are in, by their titles; all of it that leads from or to them. */
export function mapAround(map: AccessMap, titles: readonly string[]): AccessMap {
  const wanted = new Set(titles.map(nameKey));
  const chosen = map.nodes.filter(
    ({ column, title }) => column === 'roles and groups' && wanted.has(nameKey(title)),
  );
  const links = linksOf(map);
  return partOf(map, new Set(chosen.flatMap(({ id }) => [id, ...(links.get(id) ?? [])])));
}

/** The part of a map that changes: what appears and goes, all that leads there, and all that is reached from there. */
export function mapOfChange(map: AccessMap): AccessMap {
  const changed = <T extends { state: State }>(all: readonly T[]) =>
    all.filter(({ state }) => state !== 'same');
  const nodes = changed(map.nodes).map(({ id }) => id);
  const edges = changed(map.edges);
  const kept = [
    reachedFrom([...nodes, ...edges.map(({ from }) => from)], map.edges, 'to', 'from'),
    reachedFrom([...nodes, ...edges.map(({ to }) => to)], map.edges, 'from', 'to'),
  ];
  return partOf(map, new Set(kept.flatMap((ids) => [...ids])));
}

/** These nodes, and all that lines lead to from there: against their direction, where `near` is `to`. */
function reachedFrom(
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

function partOf(map: AccessMap, kept: ReadonlySet<string>): AccessMap {
  return ordered({
    ...map,
    nodes: map.nodes.filter(({ id }) => kept.has(id)),
    edges: map.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
  });
}

/** What each node reaches, and what reaches it. */
export function linksOf({ nodes, edges }: AccessMap): Map<string, Set<string>> {
  const links = new Map(nodes.map(({ id }) => [id, new Set<string>()]));
  for (const [near, far, inOrder] of [
    ['from', 'to', nodes.toReversed()],
    ['to', 'from', nodes],
  ] as const) {
    const lines = Map.groupBy(edges, (edge) => edge[near]);
    const reached = new Map<string, Set<string>>();
    for (const { id } of inOrder) {
      const next = (lines.get(id) ?? []).map((edge) => edge[far]);
      const all = new Set(next.flatMap((one) => [one, ...(reached.get(one) ?? [])]));
      reached.set(id, all);
      for (const one of all) links.get(id)?.add(one);
    }
  }
  return links;
}

/**
 * The same map with few crossing lines, and ids in the order of reading: each node of a column goes to the mean place of
 * those that its lines lead to, once from the left and once from the right (Sugiyama's barycenters).
 */
export function ordered({ nodes, edges, missing }: AccessMap): AccessMap {
  const places = new Map<string, number>();
  const byColumn = columns.map((column) => nodes.filter((node) => node.column === column).sort(byLabel));
  const place = (column: MapNode[]) => {
    for (const [index, { id }] of column.entries()) places.set(id, (index + 0.5) / column.length);
  };
  byColumn.forEach(place);
  for (const [near, far, inOrder] of [
    ['to', 'from', byColumn.slice(1)],
    ['from', 'to', byColumn.toReversed().slice(1)],
  ] as const) {
    const lines = Map.groupBy(edges, (edge) => edge[near]);
    for (const column of inOrder) {
      const means = new Map(
        column.map(({ id }) => {
          const next = (lines.get(id) ?? [{ from: id, to: id }]).map((edge) => places.get(edge[far]) ?? 0);
          return [id, next.reduce((sum, one) => sum + one, 0) / next.length];
        }),
      );
      column.sort((one, other) => (means.get(one.id) ?? 0) - (means.get(other.id) ?? 0));
      place(column);
    }
  }
  const ids = new Map(byColumn.flat().map(({ id }, index) => [id, `n${index + 1}`]));
  const idOf = (id: string) => ids.get(id) ?? id;
  return {
    nodes: byColumn.flat().map((node) => ({ ...node, id: idOf(node.id) })),
    edges: edges.map((edge) => ({ ...edge, from: idOf(edge.from), to: idOf(edge.to) })),
    missing,
  };
}

function byLabel(one: MapNode, other: MapNode): number {
  const [a, b] = [one, other].map(({ label, detail }) => `${label} ${detail}`);
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
