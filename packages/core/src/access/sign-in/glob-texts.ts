import { Budget, OutOfBudget } from '../../graph/values/budget.ts';
import { largestOf } from '../../graph/values/sequences.ts';
import { type Glob, GlobIndex, isText, keyOfGlob } from './glob-index.ts';

/** Reads a glob as bound claims have it: `*` stands for any text. */
export function globOf(pattern: string): Glob {
  return pattern.split('*');
}

/** Steps of automata after which the search is given up, in a fraction of a second. Globs that people write need a few hundred. */
const mostSteps = 200_000;

/**
 * A text that one of each of the lists in `all` matches, and none of `none`; undefined where there is none. Exact: all
 * lists are read as automata and walked side by side over all texts at once.
 *
 * @param budget of what is decided with it
 * @param claim whose patterns these are
 * @throws OutOfBudget where that would take too long
 */
export function textIn(
  all: readonly (readonly Glob[])[],
  none: readonly Glob[],
  claim = '',
  budget = new Budget(),
): string | undefined {
  const left: Left = { steps: mostSteps, claim, budget };
  const compared = (work: number) => spend(work, left);
  const out = new GlobIndex(none);
  const into = all.map((globs) => new GlobIndex(globs));
  const fits = (text: string) =>
    into.every((globs) => globs.matches(text, compared)) && !out.matches(text, compared);
  // Texts that people can read are tried first: most questions end here.
  const texts = all.find((globs) => globs.every(isText));
  const letter = texts === undefined ? otherLetter([...all, none].flat(2)) : '';
  const refused = new Set(none.map(keyOfGlob));
  const tried = (texts ?? [...all.flat(), ['', '']]).filter((glob) => !refused.has(keyOfGlob(glob)));
  const found = tried.map((glob) => glob.join(letter)).find(fits);
  // For a single list, they are all that need be tried: what matches a glob whose holes hold a letter that it does not
  // name itself matches the glob with anything in its holes.
  if (found !== undefined || texts !== undefined || all.length < 2 || none.some(isAnything)) return found;
  return walk(all, none, letter, left);
}

interface Left {
  steps: number;
  claim: string;
  budget: Budget;
}

function spend(steps: number, left: Left): void {
  left.steps -= steps;
  left.budget.spend(steps, 'patterns', left.claim);
  if (left.steps < 0) throw new OutOfBudget('patterns', left.claim);
}

function isAnything(glob: Glob): boolean {
  return !isText(glob) && glob.every((part) => part === '');
}

/** A glob as a row of letters and stars. A state is a position in it. */
type Row = readonly string[];
const star = '*any*';

function walk(
  all: readonly (readonly Glob[])[],
  none: readonly Glob[],
  other: string,
  left: Left,
): string | undefined {
  const rows = [...all.flat(), ...none].map(rowOf);
  // Where each list ends among the rows.
  let end = 0;
  const ends = all.map(({ length }) => (end += length));
  const wanted = ends.at(-1) ?? 0;
  const start = rows.map((row) => reached(row, [0]));
  const seen = new Set<string>([keyOf(start)]);
  const pending = [{ states: start, text: '' }];
  for (const { states, text } of pending) {
    const mayEnd = (at: number) => states[at]?.includes(rows[at]?.length ?? -1) === true;
    const isOver = (at: number, from: number) => some(from, ends[at] ?? 0, mayEnd);
    if (ends.every((_, at) => isOver(at, ends[at - 1] ?? 0)) && !some(wanted, rows.length, mayEnd))
      return text;
    // All letters that no glob waits for lead to the same.
    const awaited = states.flatMap((of, at) => of.map((state) => rows[at]?.[state]));
    for (const letter of new Set([...awaited, other])) {
      if (letter === undefined || letter === star) continue;
      spend(states.length, left);
      const next = states.map((of, at) => step(rows[at] ?? [], of, letter));
      // No text that goes on like this is in all lists, or every one is in a glob of `none`.
      const isAlive = (at: number) => (next[at]?.length ?? 0) > 0;
      if (ends.some((end, at) => !some(ends[at - 1] ?? 0, end, isAlive))) continue;
      if (some(wanted, rows.length, (at) => takesAll(rows[at] ?? [], next[at] ?? []))) continue;
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      pending.push({ states: next, text: text + letter });
    }
  }
  return undefined;
}

function some(from: number, to: number, is: (at: number) => boolean): boolean {
  for (let at = from; at < to; at++) if (is(at)) return true;
  return false;
}

/** A letter that is in none of the parts of globs: it stands for all these. */
function otherLetter(parts: readonly string[]): string {
  let code = 'x'.codePointAt(0) ?? 0;
  while (parts.some((part) => part.includes(String.fromCodePoint(code)))) code += 1;
  return String.fromCodePoint(code);
}

function rowOf(glob: Glob): Row {
  return glob.flatMap((part, at) => (at === 0 ? [...part] : [star, ...part]));
}

function takesAll(row: Row, states: number[]): boolean {
  return row.at(-1) === star && states.includes(row.length - 1);
}

function step(row: Row, states: number[], letter: string): number[] {
  return reached(
    row,
    states.flatMap((state) => (row[state] === star ? [state] : row[state] === letter ? [state + 1] : [])),
  );
}

/** A star may stand for nothing. States before the last star that was reached add nothing to those after it. */
function reached(row: Row, states: number[]): number[] {
  const all = new Set(states);
  for (const state of all) if (row[state] === star) all.add(state + 1);
  const lastStar = largestOf(
    [...all].filter((state) => row[state] === star),
    -1,
  );
  return [...all].filter((state) => state >= lastStar).sort((a, b) => a - b);
}

function keyOf(states: number[][]): string {
  return states.map((one) => one.join(',')).join(';');
}
