import { hasWildcard } from '../graph/policies/acl.ts';

/** What patterns have in common up to a segment, and how they go on. */
export interface PatternNode {
  readonly parent: PatternNode | undefined;
  /** How they go on by a word, by the word. */
  readonly words: Map<string, PatternNode>;
  /** How they go on by `+`. */
  anyWord: PatternNode | undefined;
  /** Indices of the patterns that go on by a beginning and `*`, by the beginning. */
  readonly beginnings: Map<string, number>;
  /** How long the beginnings are, each length once. */
  readonly lengths: Set<number>;
  /** Index of the pattern that ends here. */
  ended: number | undefined;
  /** Which segments so far are words, and not `+`: a bit each. */
  readonly wordBits: number;
  /** Whether a segment so far is `+`. */
  readonly hasAny: boolean;
  /** Words and beginnings, in the order of their letters. Absent until they are looked for. */
  keys?: string[];
}

/** Segments from here on share one bit: a number has no more. */
const lastBit = 30;

/** The bit of a segment, by how many there are before it. */
export function bitOf(depth: number): number {
  return 1 << Math.min(depth, lastBit);
}

function nodeBelow(parent: PatternNode | undefined, wordBits: number, hasAny: boolean): PatternNode {
  return {
    parent,
    words: new Map(),
    anyWord: undefined,
    beginnings: new Map(),
    lengths: new Set(),
    ended: undefined,
    wordBits,
    hasAny,
  };
}

/** Patterns, by their segments: what two have in common stands there once. */
export class PatternTree {
  readonly root = nodeBelow(undefined, 0, false);
  /** Where each pattern ends, by its index: the node that it ends at, or that its beginning is of. */
  readonly ends: readonly PatternNode[];
  readonly #isExact: readonly boolean[];
  readonly #isFolder: readonly boolean[];

  constructor(texts: readonly string[]) {
    this.ends = texts.map((text, index) => this.#add(text, index));
    this.#isExact = texts.map((text) => !hasWildcard(text));
    this.#isFolder = texts.map((text) => text.endsWith('/'));
  }

  /** Whether a pattern is a path. */
  isExact(index: number): boolean {
    return this.#isExact[index] === true;
  }

  /** Whether a pattern is a path with a slash at its end. */
  isFolder(index: number): boolean {
    return this.#isFolder[index] === true;
  }

  /** The nodes by which one of these patterns goes. */
  nodesOf(indices: Iterable<number>): ReadonlySet<PatternNode> {
    const nodes = new Set<PatternNode>();
    for (const index of indices) {
      let node = this.ends[index];
      for (; node !== undefined && !nodes.has(node); node = node.parent) nodes.add(node);
    }
    return nodes;
  }

  #add(text: string, index: number): PatternNode {
    const isPrefix = text.endsWith('*');
    const segments = (isPrefix ? text.slice(0, -1) : text).split('/');
    const beginning = isPrefix ? segments.pop() : undefined;
    let node = this.root;
    for (const [depth, segment] of segments.entries()) node = nextNode(node, segment, depth);
    if (beginning === undefined) node.ended = index;
    else {
      node.beginnings.set(beginning, index);
      node.lengths.add(beginning.length);
    }
    return node;
  }
}

function nextNode(node: PatternNode, segment: string, depth: number): PatternNode {
  if (segment === '+') {
    node.anyWord ??= nodeBelow(node, node.wordBits, true);
    return node.anyWord;
  }
  let next = node.words.get(segment);
  if (next === undefined) {
    next = nodeBelow(node, node.wordBits | bitOf(depth), node.hasAny);
    node.words.set(segment, next);
  }
  return next;
}

/** Words and beginnings that begin so. */
export function keysFrom(node: PatternNode, beginning: string): string[] {
  node.keys ??= [...new Set([...node.words.keys(), ...node.beginnings.keys()])].sort();
  const { keys } = node;
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < beginning) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (keys[end]?.startsWith(beginning)) end++;
  return keys.slice(low, end);
}

/** Whether a pattern goes on from here. */
export function goesOn({ words, anyWord, beginnings }: PatternNode): boolean {
  return words.size > 0 || anyWord !== undefined || beginnings.size > 0;
}

/** The patterns by whose beginning and `*` these nodes go on to a word, in order, and the bits of their words. */
export function swallowing(
  nodes: readonly PatternNode[],
  word: string,
): { swallowed: number[]; wordBits: number } {
  const swallowed: number[] = [];
  let wordBits = 0;
  for (const node of nodes) {
    for (const length of node.lengths) {
      const index = length > word.length ? undefined : node.beginnings.get(word.slice(0, length));
      if (index === undefined) continue;
      swallowed.push(index);
      wordBits |= node.wordBits;
    }
  }
  if (swallowed.length > 1) swallowed.sort((one, other) => one - other);
  return { swallowed, wordBits };
}
