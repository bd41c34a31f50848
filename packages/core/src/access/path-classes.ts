import { inPrecedence } from '../graph/policies/acl.ts';
import type { Budget } from '../graph/values/budget.ts';
import { CoveredPatterns } from './covered-patterns.ts';
import { bitOf, goesOn, keysFrom, type PatternNode, PatternTree, swallowing } from './pattern-tree.ts';

/** Paths that the same patterns match, so that every policy treats them the same. */
export interface PathClass {
  /** One of the paths. */
  readonly path: string;
  /** Indices of the patterns that match; the first decides. */
  order: number[];
  /** What is asked there: a list is asked of a folder, with its slash, and rules without it count as well. */
  asks: 'list' | 'others';
}

/** The patterns of policies, in the order of precedence, with every class of paths that they tell apart. */
export class Patterns {
  /** Patterns that match; the first decides. */
  readonly texts: string[];
  readonly #tree: PatternTree;
  readonly #index: Map<string, number>;

  constructor(patterns: Iterable<string>) {
    this.texts = inPrecedence(new Set(patterns));
    this.#index = new Map(this.texts.map((text, index) => [text, index]));
    this.#tree = new PatternTree(this.texts);
  }

  indexOf(pattern: string): number {
    return this.#index.get(pattern) ?? -1;
  }

  /**
   * Visits one path of every class that one of the `followed` patterns matches, each class once: all patterns are
   * walked together, segment by segment, along every word that one of them has there, every beginning of a word with
   * something behind it, and a word that no pattern names.
   *
   * Of paths that the same patterns match, only one is walked: it has a word of a pattern only where a pattern that matches,
   * or may still match, has that word. Any other word there, with the same beginnings, is matched by the same patterns.
   *
   * @param decidesFor for what a pattern decides if it is the first that matches: a number for each policy and side. Patterns
   * that decide for nothing do not count, and classes with the same that count are one. Undefined: it always counts, as by default.
   * @throws OutOfBudget: classes may be missing.
   */
  walk(
    followed: ReadonlySet<number>,
    visit: (found: PathClass) => void,
    budget: Budget,
    decidesFor: (index: number) => readonly number[] | undefined = () => undefined,
  ): void {
    const visited = new Set<string>();
    const followedNodes = this.#tree.nodesOf(followed);
    const covered = new CoveredPatterns(this.#tree, followed, followedNodes, decidesFor);
    const isFollowed = (index: number) => followed.has(index);
    const report = (place: Folder, matching: number[], asks: PathClass['asks']) => {
      if (!matching.some(isFollowed)) return;
      const order = counting(matching, decidesFor);
      // A folder does not stand for a path within one, which is the plainer witness.
      const key = `${asks} ${place?.segment === ''} ${order.join()}`;
      if (visited.has(key)) return;
      visited.add(key);
      visit({
        get path() {
          return pathOf(place);
        },
        order,
        asks,
      });
    };
    const pending = [startAt(this.#tree.root)];
    for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
      const following: Step[] = [];
      for (const next of nextSteps(step, covered, budget)) {
        budget.spend(perStep + next.nodes.length + next.absorbed.length, 'paths');
        const { matching } = next;
        if (next.place?.segment === '') {
          // A server redirects a path with two slashes before it asks any policy (measured on OpenBao 2.7.2).
          if (step.place !== undefined && step.place.segment !== '')
            report(next.place, this.#orderOfList(matching, step.matching), 'list');
          // Rules of the path with its slash only.
          if (next.done.some((index) => this.#tree.isFolder(index))) report(next.place, matching, 'others');
        } else report(next.place, matching, 'others');
        const isAhead = next.nodes.some((node) => followedNodes.has(node)) || matching.some(isFollowed);
        if (isAhead && !next.isLast) following.push(next);
      }
      // The last is taken first: words that patterns have make the plainest witnesses.
      for (const next of following.reverse()) pending.push(next);
    }
  }

  /** openbao vault/acl.go: rules of the folder, exactly with or without its slash, then by patterns. */
  #orderOfList(folder: number[], name: number[]): number[] {
    const isExact = (index: number) => this.#tree.isExact(index);
    const isPattern = (index: number) => !isExact(index);
    return [
      ...new Set([
        ...folder.filter(isExact),
        ...name.filter(isExact),
        ...folder.filter(isPattern),
        ...name.filter(isPattern),
      ]),
    ];
  }
}

/** Matching patterns, in order: the first for each thing that they decide for, and those that always count. */
function counting(order: number[], decidesFor: (index: number) => readonly number[] | undefined): number[] {
  if (order.length < 2) return order;
  const decided = new Set<number>();
  return order.filter((index) => {
    const size = decided.size;
    const own = decidesFor(index);
    for (const one of own ?? []) decided.add(one);
    return own === undefined || decided.size > size;
  });
}

/** What a step takes of the budget in addition to the patterns looked at. */
const perStep = 4;

/** A folder that the walk is in; undefined for where it starts. */
type Folder = { parent: Folder; segment: string } | undefined;

/** Where a walk is, with what the patterns that agree with the path so far have behind it. */
interface Step {
  place: Folder;
  /** How many segments the path has so far. */
  depth: number;
  /** Where the patterns are that say more than the path so far, and agree with it. */
  nodes: PatternNode[];
  /** Patterns that the path so far matches, and no longer one. */
  done: number[];
  /** Patterns that match the path so far and everything below. */
  absorbed: number[];
  /** Those of both that the path so far matches. */
  matching: number[];
  /** Segments of the path that are there as a pattern has this word: one that matches has to. */
  wordBits: number;
  /** Segments that are words in those that are done, and in those that match everything below. */
  doneBits: number;
  absorbedBits: number;
  /** Nothing below is looked at: another path stands for it. */
  isLast?: boolean;
}

function startAt(root: PatternNode): Step {
  return {
    place: undefined,
    depth: 0,
    nodes: [root],
    done: [],
    absorbed: [],
    matching: [],
    wordBits: 0,
    doneBits: 0,
    absorbedBits: 0,
  };
}

/** Whether all that is asked is there. */
function hasAll(bits: number, asked: number): boolean {
  return (asked & ~bits) === 0;
}

/** One step for each kind of word that the patterns tell apart here, without those that another path stands for. */
function* nextSteps(step: Step, covered: CoveredPatterns, budget: Budget): Generator<Step> {
  const { place, depth, nodes, done, wordBits } = step;
  const isFolder = place?.segment === '';
  if (nodes.length === 0) {
    // Below what matches everything there is nothing new, but a list asks for its folder.
    const segments = done.length > 0 ? [freshWord('', () => false), ''] : isFolder || depth === 0 ? [] : [''];
    for (const segment of segments) {
      const next = stepTo(step, segment, covered, budget);
      if (hasAll(next.absorbedBits | (segment === '' ? step.doneBits : 0), wordBits)) yield next;
    }
    return;
  }
  const { words, beginnings } = namedIn(step, covered);
  for (const word of words) {
    if (word === '') continue;
    const next = stepTo(step, word, covered, budget, bitOf(depth));
    if (hasAll(bitsIn(next), next.wordBits)) yield next;
  }
  const isTaken = (word: string, beginning: string) =>
    nodes.some(
      (node) =>
        node.words.has(word) ||
        [...node.lengths].some(
          (length) => length > beginning.length && node.beginnings.has(word.slice(0, length)),
        ),
    );
  for (const beginning of beginnings.add('')) {
    const isWord = beginning === '' || nodes.some(({ words }) => words.has(beginning));
    const next = stepTo(step, isWord ? freshWord(beginning, isTaken) : beginning, covered, budget);
    if (hasAll(bitsIn(next), wordBits)) yield next;
  }
  // Last: a path with an empty segment is a poor witness.
  const isNamed = nodes.some((node) => node.words.has('') || node.beginnings.has('') || node.anyWord);
  if (depth === 0 || (isFolder && !isNamed && done.length === 0)) return;
  const folder = stepTo(step, '', covered, budget);
  if (!hasAll(bitsIn(folder) | step.doneBits, wordBits)) return;
  // Patterns go on behind two slashes only where one has them.
  const hasWord = nodes.some((node) => node.words.has(''));
  yield hasWord ? { ...folder, wordBits: wordBits | bitOf(depth) } : { ...folder, isLast: true };
}

/** The words and beginnings that patterns have here, if one that has the words so far goes on by them. */
function namedIn({ nodes, wordBits, absorbedBits }: Step, covered: CoveredPatterns) {
  const always = nodes.flatMap((node) => [
    ...(node.anyWord ? [node] : []),
    ...(node.beginnings.has('') ? [node] : []),
  ]);
  const asked = nodesWith(wordBits & ~(bitsOf(always) | absorbedBits), nodes);
  const words = new Set(asked.flatMap((node) => [...node.words.keys()]));
  const beginnings = new Set(asked.flatMap((node) => [...node.beginnings.keys()]));
  // Words of others, by whose beginning one of the asked goes on.
  const otherNodes = nodes.filter((node) => !asked.includes(node));
  for (const [beginning, prefix] of otherNodes.length === 0
    ? []
    : asked.flatMap((node) => [...node.beginnings])) {
    for (const other of otherNodes) {
      if (covered.covers(prefix, other)) continue;
      for (const key of keysFrom(other, beginning)) {
        if (other.words.has(key)) words.add(key);
        if (other.beginnings.has(key)) beginnings.add(key);
      }
    }
  }
  return { words, beginnings };
}

/** The step along a word. */
function stepTo(step: Step, word: string, covered: CoveredPatterns, budget: Budget, ownBit = 0): Step {
  const { place, depth, nodes, absorbed } = step;
  const next: PatternNode[] = [];
  const done: number[] = [];
  let doneBits = 0;
  for (const node of nodes) {
    for (const below of [node.words.get(word), node.anyWord]) {
      if (below === undefined) continue;
      if (goesOn(below)) next.push(below);
      if (below.ended === undefined) continue;
      done.push(below.ended);
      doneBits |= below.wordBits;
    }
    budget.spend((node.lengths.size * (word.length + 60)) >> 6, 'paths');
  }
  done.sort(ascending);
  const { swallowed, wordBits } = swallowing(nodes, word);
  const all = ordered(absorbed, swallowed);
  const prefixes = [...all, ...next.flatMap(({ beginnings }) => beginnings.get('') ?? [])];
  return {
    place: { parent: place, segment: word },
    depth: depth + 1,
    nodes: next.filter((node) => !prefixes.some((prefix) => covered.covers(prefix, node))),
    done,
    absorbed: all,
    matching: ordered(done, all),
    wordBits: step.wordBits | ownBit,
    doneBits,
    absorbedBits: step.absorbedBits | wordBits,
  };
}

function bitsOf(nodes: readonly PatternNode[]): number {
  return nodes.reduce((bits, node) => bits | node.wordBits, 0);
}

/** Segments that are words in a pattern that matches, or may still match. */
function bitsIn({ nodes, doneBits, absorbedBits }: Step): number {
  return bitsOf(nodes) | doneBits | absorbedBits;
}

/** The fewest nodes one of which goes on wherever all of these bits are needed; all of them where none is. */
function nodesWith(bits: number, nodes: PatternNode[]): PatternNode[] {
  let fewest = nodes;
  let least = Number.POSITIVE_INFINITY;
  for (let left = bits; left !== 0; left &= left - 1) {
    const having = nodes.filter((node) => (node.wordBits & left & -left) !== 0);
    const size = having.reduce((sum, { words, beginnings }) => sum + words.size + beginnings.size, 0);
    if (size < least) [fewest, least] = [having, size];
  }
  return fewest;
}

function pathOf(place: Folder): string {
  const segments: string[] = [];
  for (let at = place; at !== undefined; at = at.parent) segments.push(at.segment);
  return segments.reverse().join('/');
}

/** What a fresh word ends with: plain letters first, then any others. There are more than patterns can have taken. */
const endings = 'xyzabcdefghijklmnopqrstuvw0123456789';

/** A word that begins so, and is none that a pattern has there. */
function freshWord(beginning: string, isTaken: (word: string, beginning: string) => boolean): string {
  for (let at = 0; ; at++) {
    const word = beginning + (endings[at] ?? String.fromCodePoint(0xc0 + at));
    if (!isTaken(word, beginning)) return word;
  }
}

/** Both are in order. */
function ordered(one: number[], other: number[]): number[] {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const merged: number[] = [];
  let at = 0;
  for (const index of one) {
    for (; at < other.length && (other[at] as number) < index; at++) merged.push(other[at] as number);
    merged.push(index);
  }
  return merged.concat(other.slice(at));
}

function ascending(one: number, other: number): number {
  return one - other;
}
