import type { ChangedPaths } from '../../access/access-change.ts';
import { cut } from '../../graph/values/cut.ts';
import type { Review } from '../review.ts';
import type { ReviewedAccess } from '../verdict.ts';
import { cellsOf } from './cells.ts';
import { whyLines } from './rows.ts';

/**
 * What a row has of a change in short: by what policies, the first of before and after, and how much is left out.
 *
 * @param most how many lines, and characters of one
 */
export function changeWords(
  change: ReviewedAccess,
  tool: Review['tool'],
  most: { lines: number; characters: number },
) {
  const { paths, groups } = change;
  const short = (text: string) => cut(text, most.characters);
  // Before they become words: a change may have thousands.
  const allWhy = whyLines({ ...change, groups: groups.slice(0, most.lines) }, most.lines);
  const why = allWhy.slice(0, most.lines);
  const room = most.lines - why.length;
  const cells = room === 0 ? [] : cellsOf(change, tool, gravest(paths, room));
  const left = allWhy.length - why.length + over(groups, most.lines) + over(cells, room) + over(paths, room);
  return {
    why: why.map(short),
    words: cells.slice(0, room).map(({ before, after }) => ({ before: short(before), after: short(after) })),
    ...(left > 0 && { leftOut: left }),
  };
}

function over({ length }: readonly unknown[], most: number): number {
  return Math.max(0, length - most);
}

/** So many of some paths: administration first, then gains. */
function gravest(paths: ChangedPaths[], most: number): ChangedPaths[] {
  if (paths.length <= most) return paths;
  const chosen: ChangedPaths[] = [];
  for (const rank of [0, 1, 2]) {
    for (const candidate of paths) {
      if (chosen.length === most) return chosen;
      if ((candidate.administers ? 0 : candidate.gained.length > 0 ? 1 : 2) === rank) chosen.push(candidate);
    }
  }
  return chosen;
}
