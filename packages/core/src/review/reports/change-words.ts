import type { ChangedPaths } from '../../access/access-change.ts';
import { cut } from '../../graph/values/cut.ts';
import type { Review } from '../review.ts';
import type { ReviewedAccess } from '../verdict.ts';
import { cellsOf, whyLines } from './rows.ts';

/**
 * What a row has of a change in short: by which policies, the first of before and after, and how much `more` there is.
 *
 * @param most how many lines of each, and characters of one
 */
export function changeWords(
  change: ReviewedAccess,
  tool: Review['tool'],
  most: { lines: number; characters: number },
) {
  const { paths, groups } = change;
  // Before they become words: a change may have thousands.
  const shown = gravest(paths, most.lines);
  const why = whyLines({ ...change, groups: groups.slice(0, most.lines) });
  const cells = cellsOf(change, tool, shown);
  const left = [why, groups, cells, paths].reduce(
    (sum, { length }) => sum + Math.max(0, length - most.lines),
    0,
  );
  const short = (text: string) => cut(text, most.characters);
  return {
    why: why.slice(0, most.lines).map(short),
    words: cells
      .slice(0, most.lines)
      .map(({ before, after }) => ({ before: short(before), after: short(after) })),
    ...(left > 0 && { more: left }),
  };
}

/** So many of some paths: administration first, then gains. */
function gravest(paths: ChangedPaths[], most: number): ChangedPaths[] {
  if (paths.length <= most) return paths;
  const found: ChangedPaths[] = [];
  for (const rank of [0, 1, 2]) {
    for (const one of paths) {
      if (found.length === most) return found;
      if ((one.administers ? 0 : one.gained.length > 0 ? 1 : 2) === rank) found.push(one);
    }
  }
  return found;
}
