import type { PatternNode, PatternTree } from './pattern-tree.ts';

/** What the patterns by which a node goes come to, at the most. */
interface BelowNode {
  /** The first of them in the order of precedence. */
  first: number;
  /** What one of them decides for; undefined where that is too much, or always counts. */
  decidesFor: Set<number> | undefined;
}

/** What patterns of one node decide for: of more, none is taken for covered. */
const mostDecided = 8;

/**
 * Patterns that never count where another one matches: it comes first, and decides for all that they decide for.
 * What they would make of paths need not be told apart there.
 */
export class CoveredPatterns {
  readonly #tree: PatternTree;
  readonly #followed: ReadonlySet<number>;
  readonly #followedNodes: ReadonlySet<PatternNode>;
  readonly #decidesFor: (index: number) => readonly number[] | undefined;
  #below: Map<PatternNode, BelowNode> | undefined;

  /** @param decidesFor numbers, one for each policy and side; undefined for a pattern that always counts */
  constructor(
    tree: PatternTree,
    followed: ReadonlySet<number>,
    followedNodes: ReadonlySet<PatternNode>,
    decidesFor: (index: number) => readonly number[] | undefined,
  ) {
    this.#tree = tree;
    this.#followed = followed;
    this.#followedNodes = followedNodes;
    this.#decidesFor = decidesFor;
  }

  /** Whether a pattern with `*` at its end covers all by which a node goes. A path that is followed stays so. */
  covers(prefix: number, node: PatternNode): boolean {
    // Without a `+` they are more specific.
    if (!node.hasAny || (this.#followedNodes.has(node) && !this.#followed.has(prefix))) return false;
    this.#below ??= this.#belowNodes();
    const below = this.#below.get(node);
    const decided = this.#decidesFor(prefix);
    if (below?.decidesFor === undefined || decided === undefined || below.first <= prefix) return false;
    return (
      below.decidesFor.size <= decided.length && [...below.decidesFor].every((one) => decided.includes(one))
    );
  }

  #belowNodes(): Map<PatternNode, BelowNode> {
    const below = new Map<PatternNode, BelowNode>();
    for (const [index, end] of this.#tree.ends.entries()) {
      const decided = this.#decidesFor(index);
      for (let node: PatternNode | undefined = end; node?.hasAny; node = node.parent) {
        let known = below.get(node);
        if (known === undefined) {
          // They come in the order of precedence.
          known = { first: index, decidesFor: new Set() };
          below.set(node, known);
        }
        if (decided === undefined) known.decidesFor = undefined;
        for (const one of decided ?? []) known.decidesFor?.add(one);
        if ((known.decidesFor?.size ?? 0) > mostDecided) known.decidesFor = undefined;
      }
    }
    return below;
  }
}
