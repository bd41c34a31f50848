import type { Graph } from '../../../src/graph/graph.ts';
import { type AccessMap, columns } from '../../../src/review/map/access-map.ts';
import { accessMap } from '../../../src/review/map/draw-map.ts';
import { graph } from '../../worlds.ts';
import { graphOf, method, now, policy, role } from '../graphs.ts';

/** One of each that a map has. */
export const small = graph(`
  method ci boundIssuer: https://ci.example
  method staff
  role build Shop boundSubject: shop
  role staff/reader elsewhere roleType: oidc, groupsClaim: groups, boundAudiences: [], tokenNoDefaultPolicy: false
  group Admins admin
  alias /admins staff Admins
  policy shop: secret/data/shop/* read; secret/data/shop/private deny
  policy admin: secret/* update,read
  policy unused: secret/* read
  entity ann shop
  approle apps/web shop token_no_default_policy: true`);

export function mapOf(after: Graph, before = after): AccessMap {
  return accessMap([{ place: {}, change: { before, after } }], now);
}

/** A graph of 200 nodes. */
export function large(): Graph {
  const numbers = Array.from({ length: 50 }, (_, index) => index);
  return graphOf({
    methods: [method('ci')],
    roles: numbers.map((n) =>
      role(`role-${n}`, { boundSubject: `s${n}`, policies: [`p${n}`, `p${(n * 7) % 50}`] }),
    ),
    policies: numbers.map((n) => policy(`p${n}`, [`secret/data/${n}/*`, 'read'])),
  });
}

/** A line of a map, with what becomes of it. */
export function linesOf({ nodes, edges }: AccessMap): string[] {
  const title = (id: string) => nodes.find((node) => node.id === id)?.title;
  return edges
    .map(({ from, to, label, state }) => `${state} ${title(from)} → ${title(to)}${label && `: ${label}`}`)
    .sort();
}

/** Lines that join anything but two nodes in neighboring columns. */
export function strayLines({ nodes, edges }: AccessMap): unknown[] {
  const columnOf = (id: string) => {
    const node = nodes.find((one) => one.id === id);
    return node === undefined ? Number.NaN : columns.indexOf(node.column);
  };
  return edges.filter(({ from, to }) => columnOf(to) - columnOf(from) !== 1);
}
