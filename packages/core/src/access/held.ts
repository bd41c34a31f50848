import type { Named } from '../graph/memberships.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import {
  type EdgeKind,
  type EdgeNodes,
  type EdgeRow,
  edges,
  type How,
  type Lookup,
  type NodeKey,
  policyOf,
} from './edges.ts';

/** A node that edges lead from. */
export type EdgeNode = { [Kind in EdgeKind]: { kind: Kind; node: EdgeNodes[Kind] } }[EdgeKind];

/** What brings several things that a token may have any of, and the entities by which; an empty key where it needs none. */
export type Bringing = ReadonlyMap<NodeKey, ReadonlySet<NodeKey>>;

/** It needs no entity. */
export const directly: NodeKey = '';

/**
 * The walk over the edges of a graph: what tokens hold that a sign-in gets (docs/inside/access.md). Nothing else composes
 * what a token has.
 */
export class Walk {
  readonly #nodes: ReadonlyMap<NodeKey, EdgeNode>;
  readonly #lookup: Lookup;
  readonly #reached = new Map<NodeKey, readonly NodeKey[]>();
  readonly #policies = new Map<NodeKey, string[]>();

  constructor(nodes: ReadonlyMap<NodeKey, EdgeNode>, lookup: Lookup) {
    this.#nodes = nodes;
    this.#lookup = lookup;
  }

  /** The policies of each token that has a node, and those of which its maker picks some; in lower case, sorted. */
  policiesOf(key: NodeKey): string[] {
    return getOrMake(this.#policies, key, () => {
      const ends = this.reached(key).flatMap((inner) => [inner, ...this.ends(inner, 'some of')]);
      return [...new Set(ends.flatMap((end) => policyOf(end) ?? []))].sort();
    });
  }

  /** What a token that has a node may have any of in addition, by what brings it: a mount, the group aliases of one. */
  bringing(key: NodeKey): Bringing {
    const found = new Map<NodeKey, Set<NodeKey>>();
    const visit = (start: NodeKey, by: NodeKey) => {
      let entity = by;
      for (const reached of this.reached(start)) {
        if (this.#nodes.get(reached)?.kind === 'entity') entity = reached;
        const brought = this.ends(reached, 'any of');
        if (brought.length === 0) continue;
        const entities = getOrMake(found, reached, () => new Set());
        if (entities.has(entity)) continue;
        entities.add(entity);
        // Whatever is brought by an entity brings no further one: a sign-in has one alias a mount.
        if (entity === directly) for (const end of brought) visit(end, entity);
      }
    };
    visit(key, directly);
    return found;
  }

  /** The group or entity of a key; undefined for anything else. */
  namedAt(key: NodeKey): Named | undefined {
    const at = this.#nodes.get(key);
    return at?.kind === 'group' || at?.kind === 'entity' ? at.node : undefined;
  }

  /** Where edges of one kind lead from a node. */
  ends(key: NodeKey, how: How): readonly NodeKey[] {
    const from = this.#nodes.get(key);
    return from === undefined ? [] : endsOf(from, how, this.#lookup);
  }

  /** Everything that each token has that has a node, the node first. */
  reached(key: NodeKey): readonly NodeKey[] {
    return getOrMake(this.#reached, key, () => {
      const reached = new Set([key]);
      for (const inner of reached) for (const end of this.ends(inner, 'always')) reached.add(end);
      return [...reached];
    });
  }
}

function endsOf<Kind extends EdgeKind>(
  { kind, node }: { kind: Kind; node: EdgeNodes[Kind] },
  how: How,
  lookup: Lookup,
): NodeKey[] {
  const rows: readonly EdgeRow<EdgeNodes[Kind]>[] = edges[kind];
  return rows.flatMap((row) => (row.how === how ? row.ends(node, lookup) : []));
}
