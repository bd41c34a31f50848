/** A text with holes: between its parts stands anything, nothing included. A single part is a text without holes. */
export type Glob = readonly string[];

/** Reads a glob as bound claims have it: `*` stands for any text. */
export function globOf(pattern: string): Glob {
  return pattern.split('*');
}

/** States after which the search is given up. Globs that people write have a few dozen. */
const mostStates = 20_000;

/**
 * Whether every text that one of `inner` matches is matched by one of `outer`.
 *
 * Both sides are read as automata, and walked side by side over all texts at once: an inclusion fails where the inner
 * side may end and the outer may not. Where that would take too long it answers false, so that a change counts as
 * wider rather than not.
 */
export function includesGlobs(outer: readonly Glob[], inner: readonly Glob[]): boolean {
  if (outer.some(isAnything)) return true;
  const same = new Set(outer.map((glob) => glob.join('\u0000*')));
  const patterns = outer.filter((glob) => glob.length > 1);
  return inner.every((glob) => {
    if (same.has(glob.join('\u0000*'))) return true;
    // A glob with holes matches endlessly many texts: single ones do not make them up.
    return patterns.length > 0 && isIncluded(glob, glob.length === 1 ? patterns : outer);
  });
}

function isAnything(glob: Glob): boolean {
  return glob.length > 1 && glob.every((part) => part === '');
}

/** A glob as a row of letters and stars. A state is a position in it. */
type Row = readonly string[];
const star = '*any*';
/** Stands for every letter that is in none of the globs. */
const other = '*other*';

function isIncluded(inner: Glob, outer: readonly Glob[]): boolean {
  const rows = [inner, ...outer].map(rowOf);
  const letters = [...new Set(rows.flat().filter((letter) => letter !== star)), other];
  const start = rows.map((row) => reached(row, [0]));
  const seen = new Set<string>([keyOf(start)]);
  const pending = [start];
  while (pending.length > 0) {
    const [own = [], ...others] = pending.pop() ?? [];
    const mayEnd = (states: number[], row: Row | undefined) => states.includes(row?.length ?? -1);
    if (mayEnd(own, rows[0]) && !others.some((states, at) => mayEnd(states, rows[at + 1]))) return false;
    for (const letter of letters) {
      const next = [own, ...others].map((states, at) => step(rows[at] ?? [], states, letter));
      // Where the inner glob is at its end, there is no text left to look at.
      if (next[0]?.length === 0) continue;
      const key = keyOf(next);
      if (seen.has(key)) continue;
      if (seen.size === mostStates) return false;
      seen.add(key);
      pending.push(next);
    }
  }
  return true;
}

function rowOf(glob: Glob): Row {
  return glob.flatMap((part, at) => (at === 0 ? [...part] : [star, ...part]));
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
