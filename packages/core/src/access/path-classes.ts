import { hasWildcard, inPrecedence } from '../graph/policies/acl.ts';
import type { Budget } from '../graph/values/budget.ts';

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
  readonly #parts: { segments: string[]; isPrefix: boolean; isExact: boolean }[];
  readonly #index: Map<string, number>;

  constructor(patterns: Iterable<string>) {
    this.texts = inPrecedence(new Set(patterns));
    this.#index = new Map(this.texts.map((text, index) => [text, index]));
    this.#parts = this.texts.map((text) => {
      const isPrefix = text.endsWith('*');
      const segments = (isPrefix ? text.slice(0, -1) : text).split('/');
      return { segments, isPrefix, isExact: !hasWildcard(text) };
    });
  }

  indexOf(pattern: string): number {
    return this.#index.get(pattern) ?? -1;
  }

  /**
   * Visits one path of every class that one of the `followed` patterns matches, each class once: all patterns are
   * walked together, segment by segment, along every word that one of them has there, every beginning of a word with
   * something behind it, and a word that no pattern names.
   *
   * @param deciding of the patterns that match, in order, those that count: classes with the same are one. Defaults to all.
   * @throws OutOfBudget: classes may be missing.
   */
  walk(
    followed: ReadonlySet<number>,
    visit: (found: PathClass) => void,
    budget: Budget,
    deciding: (order: number[]) => number[] = (order) => order,
  ): void {
    const seen = new Set<string>();
    const visited = new Set<string>();
    const isFollowed = (index: number) => followed.has(index);
    const report = (place: Folder, matching: number[], asks: PathClass['asks']) => {
      if (!matching.some(isFollowed)) return;
      const order = deciding(matching);
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
    const alive = [...this.texts.keys()];
    const start: Step = { place: undefined, depth: 0, alive, done: [], absorbed: [], matching: [] };
    const pending = [start];
    for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
      const following: Step[] = [];
      for (const next of this.#nextSteps(step, budget)) {
        budget.spend(perStep + next.alive.length + next.absorbed.length, 'paths');
        const { matching } = next;
        const isFolder = next.place?.segment === '';
        if (isFolder) {
          // A server redirects a path with two slashes before it asks any policy (measured on OpenBao 2.7.2).
          if (step.place !== undefined && step.place.segment !== '')
            report(next.place, this.#orderOfList(matching, step.matching), 'list');
          // Rules of the path with its slash only.
          if (next.done.some((index) => this.#part(index).segments.at(-1) === '')) {
            report(next.place, matching, 'others');
          }
        } else report(next.place, matching, 'others');
        if (!next.alive.some(isFollowed) && !matching.some(isFollowed)) continue;
        // Its depth makes no difference if no pattern is longer.
        const depth = next.alive.length > 0 && next.depth;
        const key = `${depth} ${isFolder} ${next.alive.join()} ${next.done.join()} ${next.absorbed.join()}`;
        if (seen.has(key)) continue;
        seen.add(key);
        following.push(next);
      }
      // The last is taken first: words that patterns have make the plainest witnesses.
      for (const next of following.reverse()) pending.push(next);
    }
  }

  /** openbao vault/acl.go: rules of the folder, exactly with or without its slash, then by patterns. */
  #orderOfList(folder: number[], name: number[]): number[] {
    const isExact = (index: number) => this.#part(index).isExact;
    const [exact, wild] = [folder, name].flatMap((order) => [order.filter(isExact)]) as [number[], number[]];
    const patterns = [folder, name].flatMap((order) => order.filter((index) => !isExact(index)));
    return [...new Set([...exact, ...wild, ...patterns])];
  }

  #part(index: number) {
    return this.#parts[index] as { segments: string[]; isPrefix: boolean; isExact: boolean };
  }

  *#nextSteps({ place, depth, alive, done, absorbed }: Step, budget: Budget): Generator<Step> {
    const isFolder = place?.segment === '';
    if (alive.length === 0) {
      const below = { depth: depth + 1, alive, done: [], absorbed, matching: absorbed };
      // Below what matches everything there is nothing new, but a list asks for its folder.
      const segments =
        done.length > 0 ? [freshWord('', () => false), ''] : isFolder || depth === 0 ? [] : [''];
      for (const segment of segments) yield { ...below, place: { parent: place, segment } };
      return;
    }
    const words = new Map<string, number[]>();
    const beginnings = new Map<string, number[]>();
    const anyWord: number[] = [];
    for (const index of alive) {
      const { segments, isPrefix } = this.#part(index);
      const segment = segments[depth] ?? '';
      if (isPrefix && depth === segments.length - 1) append(beginnings, segment, index);
      else if (segment === '+') anyWord.push(index);
      else append(words, segment, index);
    }
    const named = new Set([...words.keys(), ...beginnings.keys()]);
    const fresh = new Set(['', ...beginnings.keys()]);
    const lengths = [...new Set([...beginnings.keys()].map(({ length }) => length))].sort(ascending);
    const beginningsOf = (word: string) => {
      if (lengths.length === 0) return [];
      budget.spend((lengths.length * (word.length + 60)) >> 6, 'paths');
      return lengths.map((length) => word.slice(0, length)).filter((start) => beginnings.has(start));
    };
    const isTaken = (word: string, beginning: string) =>
      named.has(word) || beginningsOf(word).some((start) => start.length > beginning.length);
    const freshWords = [...fresh].map((beginning) => freshWord(beginning, isTaken));
    const candidates = [...named, ...freshWords].filter(Boolean);
    // Last: a path with an empty segment is a poor witness.
    if (!isFolder || named.has('') || anyWord.length + done.length > 0) candidates.push('');
    for (const word of candidates) {
      if (depth === 0 && word === '') continue;
      const agreeing = ordered(words.get(word) ?? [], anyWord);
      const swallowed = beginningsOf(word).flatMap((start) => beginnings.get(start) ?? []);
      const isDone = (index: number) => this.#part(index).segments.length === depth + 1;
      const ended = agreeing.filter(isDone);
      const all = ordered(absorbed, swallowed.sort(ascending));
      yield {
        place: { parent: place, segment: word },
        depth: depth + 1,
        alive: ended.length === 0 ? agreeing : agreeing.filter((index) => !isDone(index)),
        done: ended,
        absorbed: all,
        matching: ordered(ended, all),
      };
    }
  }
}

/** What a step takes of the budget in addition to the patterns looked at. */
const perStep = 4;

/** A folder that the walk is in; undefined for where it starts. */
type Folder = { parent: Folder; segment: string } | undefined;

interface Step {
  place: Folder;
  /** How many segments the path has so far. */
  depth: number;
  /** Patterns that say more than the path so far, and agree with it. */
  alive: number[];
  /** Patterns that the path so far matches, and no longer one. */
  done: number[];
  /** Patterns that match the path so far and everything below. */
  absorbed: number[];
  /** Those of both that the path so far matches. */
  matching: number[];
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

function append(map: Map<string, number[]>, key: string, index: number): void {
  const there = map.get(key);
  if (there === undefined) map.set(key, [index]);
  else there.push(index);
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
