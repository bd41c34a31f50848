import type { Named } from '../graph/memberships.ts';
import { getOrMake } from '../graph/values/get-or-make.ts';
import { type How, type Lookup, type NodeKey, type NodeOfGraph, policyOf } from './edges/edge.ts';
import { rowsOf } from './edges/edges.ts';
import { endElsewhere, type OpenEnd } from './edges/open-end.ts';
import type { EdgeNode } from './reasons/reason.ts';

/** What brings several things that a token may have any of, and the entities by which; an empty key where it needs none. */
export type Bringing = ReadonlyMap<NodeKey, ReadonlySet<NodeKey>>;

/** It needs no entity. */
export const directly: NodeKey = '';

/**
 * The walk over the edges of a graph: what tokens hold that a sign-in gets (docs/inside/access.md). Nothing else composes
 * what a token has.
 */
export class Walk {
  readonly #nodes: ReadonlyMap<NodeKey, NodeOfGraph>;
  readonly #lookup: Lookup;
  readonly #reached = new Map<NodeKey, readonly NodeKey[]>();
  readonly #policies = new Map<NodeKey, string[]>();
  readonly #open = new Map<NodeKey, readonly OpenEnd[]>();

  constructor(nodes: ReadonlyMap<NodeKey, NodeOfGraph>, lookup: Lookup) {
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
    const bySource = new Map<NodeKey, Set<NodeKey>>();
    const visit = (start: NodeKey, by: NodeKey) => {
      let entity = by;
      for (const reached of this.reached(start)) {
        if (this.#nodes.get(reached)?.kind === 'entity') entity = reached;
        const brought = this.ends(reached, 'any of');
        if (brought.length === 0) continue;
        const entities = getOrMake(bySource, reached, () => new Set());
        if (entities.has(entity)) continue;
        entities.add(entity);
        // Whatever is brought by an entity brings no further one: a sign-in has one alias a mount.
        if (entity === directly) for (const end of brought) visit(end, entity);
      }
    };
    visit(key, directly);
    return bySource;
  }

  /** A node of a key; undefined for one that no edge leads from. */
  at(key: NodeKey): NodeOfGraph | undefined {
    return this.#nodes.get(key);
  }

  /** The group or entity of a key; undefined for anything else. */
  namedAt(key: NodeKey): Named | undefined {
    const from = this.#nodes.get(key);
    return from?.kind === 'group' || from?.kind === 'entity' ? from.node : undefined;
  }

  /** The keys of all nodes that edges lead from. */
  keys(): Iterable<NodeKey> {
    return this.#nodes.keys();
  }

  /** Where edges of one kind lead from a node. */
  ends(key: NodeKey, how: How): readonly NodeKey[] {
    const from = this.#nodes.get(key);
    return from === undefined ? [] : endsOf(from, how, this.#lookup);
  }

  /** Everything that each token has that has a node, the node first. */
  reached(key: NodeKey): readonly NodeKey[] {
    return getOrMake(this.#reached, key, () => this.#reachedFrom([key]));
  }

  /** The open ends of everything that each token has that has one of these nodes. */
  openFrom(keys: readonly NodeKey[]): readonly OpenEnd[] {
    return this.#reachedFrom(keys).flatMap((key) => getOrMake(this.#open, key, () => this.#openAt(key)));
  }

  #reachedFrom(keys: readonly NodeKey[]): readonly NodeKey[] {
    const reached = new Set(keys);
    for (const inner of reached) for (const end of this.ends(inner, 'always')) reached.add(end);
    return [...reached];
  }

  /** What is elsewhere and hangs on a node, and what it fills in. */
  #openAt(key: NodeKey): readonly OpenEnd[] {
    const from = this.#nodes.get(key);
    return from === undefined ? [] : openEndsOf(key, from, this.#lookup);
  }
}

function endsOf({ kind, node }: NodeOfGraph, how: How, lookup: Lookup): NodeKey[] {
  return rowsOf(kind).flatMap((row) => (row.how === how ? (row.ends?.(node, lookup) ?? []) : []));
}

function openEndsOf(key: NodeKey, from: NodeOfGraph, lookup: Lookup): readonly OpenEnd[] {
  const named = nodeNamed(from);
  return rowsOf(from.kind).flatMap((row) => {
    const isHungOn = row.how === undefined && row.open === undefined && !lookup.isFresh(key);
    const edge = isHungOn ? row.opens : undefined;
    const hanging = edge === undefined || named === undefined ? [] : [endElsewhere(key, edge, named)];
    return [...hanging, ...(row.along?.(from.node, lookup, key) ?? [])];
  });
}

/** A node that something elsewhere may hang on, by its name. */
function nodeNamed({ kind, node }: NodeOfGraph): EdgeNode | undefined {
  if (kind === 'method') return { kind, name: node.path };
  return kind === 'group' || kind === 'entity' ? node : undefined;
}
