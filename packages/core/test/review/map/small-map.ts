import type { Graph } from '../../../src/graph/graph.ts';
import { otherRole } from '../../../src/graph/resources/other-access.ts';
import { type AccessMap, columns } from '../../../src/review/map/access-map.ts';
import { accessMap } from '../../../src/review/map/draw-map.ts';
import { bareRole, graphOf, method, now, policy, role } from '../graphs.ts';

/** One of each that a map has. */
export const small = graphOf({
  methods: [method('ci', { boundIssuer: 'https://ci.example' }), method('staff')],
  roles: [
    role('build', { boundSubject: 'shop', policies: ['Shop'] }),
    bareRole({
      method: 'staff',
      roleType: 'oidc',
      name: 'reader',
      groupsClaim: 'groups',
      policies: ['elsewhere'],
    }),
  ],
  groups: [{ name: 'Admins', policies: ['admin'] }],
  aliases: [{ name: '/admins', method: 'staff', group: 'Admins' }],
  policies: [
    policy('shop', ['secret/data/shop/*', 'read'], ['secret/data/shop/private', 'deny']),
    policy('admin', ['secret/*', 'update', 'read']),
    policy('unused', ['secret/*', 'read']),
  ],
  identities: [{ kind: 'entity', name: 'ann', policies: ['shop'] }],
  otherAccess: [
    otherRole(
      { type: 'approle', mount: 'apps', noun: 'role', name: 'web' },
      { token_policies: ['shop'], token_no_default_policy: true },
    ),
  ],
});

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
