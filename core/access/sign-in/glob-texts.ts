import { matchesGlob } from '../../login/bound-claims.ts';

/** A text with holes: between its parts stands anything, nothing included. A single part is a text without holes. */
export type Glob = readonly string[];

/** Reads a glob as bound claims have it: `*` stands for any text. */
export function globOf(pattern: string): Glob {
  return pattern.split('*');
}

/** A question that would take too long to decide. Its message says what about, in words. */
export class Undecided extends Error {}

/** States after which the search is given up. Globs that people write have a few dozen. */
const mostStates = 20_000;

/**
 * A text that one of each of the lists in `all` matches, and none of `none`; undefined where there is none. Exact: all
 * lists are read as automata and walked side by side over all texts at once.
 *
 * @throws Undecided where that would take too long
 */
export function textIn(
  all: readonly (readonly Glob[])[],
  none: readonly Glob[],
  what = 'patterns',
): string | undefined {
  const fits = (text: string) =>
    all.every((globs) => globs.some((glob) => matches(glob, text))) &&
    !none.some((glob) => matches(glob, text));
  // Texts that people can read are tried first: most questions end here.
  const texts = all.find((globs) => globs.every(isText));
  const letter = letterBeside([...all, none].flat().flatMap((glob) => glob.flatMap((part) => [...part])));
  const found = (texts ?? [...all.flat(), ['', '']]).map((glob) => glob.join(letter)).find(fits);
  if (found !== undefined || texts !== undefined || none.some(isAnything)) return found;
  const known = new Set(none.map(keyOfGlob));
  if (all.some((globs) => globs.every((glob) => known.has(keyOfGlob(glob))))) return undefined;
  return walk(all, none, what);
}

function matches(glob: Glob, text: string): boolean {
  return isText(glob) ? text === glob[0] : matchesGlob(glob.join('*'), text);
}

function isText(glob: Glob): boolean {
  return glob.length === 1;
}

function isAnything(glob: Glob): boolean {
  return !isText(glob) && glob.every((part) => part === '');
}

function keyOfGlob(glob: Glob): string {
  return glob.join('\u0000*');
}

/** A glob as a row of letters and stars. A state is a position in it. */
type Row = readonly string[];
const star = '*any*';

function walk(all: readonly (readonly Glob[])[], none: readonly Glob[], what: string): string | undefined {
  const rows = [...all.flat(), ...none].map(rowOf);
  // Where each list ends among the rows.
  const ends = all.map((_, at) => all.slice(0, at + 1).flat().length);
  const wanted = ends.at(-1) ?? 0;
  const letters = [...new Set(rows.flat().filter((letter) => letter !== star))];
  letters.push(letterBeside(letters));
  const start = rows.map((row) => reached(row, [0]));
  const seen = new Set<string>([keyOf(start)]);
  const pending = [{ states: start, text: '' }];
  for (const { states, text } of pending) {
    const mayEnd = (at: number) => states[at]?.includes(rows[at]?.length ?? -1) === true;
    const isOver = (at: number, from: number) => some(from, ends[at] ?? 0, mayEnd);
    if (ends.every((_, at) => isOver(at, ends[at - 1] ?? 0)) && !some(wanted, rows.length, mayEnd))
      return text;
    for (const letter of letters) {
      const next = states.map((of, at) => step(rows[at] ?? [], of, letter));
      // No text that goes on like this is in all lists, or every one is in a glob of `none`.
      const isAlive = (at: number) => (next[at]?.length ?? 0) > 0;
      if (ends.some((end, at) => !some(ends[at - 1] ?? 0, end, isAlive))) continue;
      if (some(wanted, rows.length, (at) => takesAll(rows[at] ?? [], next[at] ?? []))) continue;
      const key = keyOf(next);
      if (seen.has(key)) continue;
      if (seen.size === mostStates) throw new Undecided(`${what}: too many to compare`);
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

/** A letter that is in none of the globs: it stands for all these. */
function letterBeside(letters: string[]): string {
  let code = 'x'.codePointAt(0) ?? 0;
  while (letters.includes(String.fromCodePoint(code))) code += 1;
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
  const lastStar = Math.max(-1, ...[...all].filter((state) => row[state] === star));
  return [...all].filter((state) => state >= lastStar).sort((a, b) => a - b);
}

function keyOf(states: number[][]): string {
  return states.map((one) => one.join(',')).join(';');
}
