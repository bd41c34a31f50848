import { mayLastLonger } from '../../access/sign-in/token-life.ts';
import type { Review } from '../review.ts';
import { nothing } from './cells.ts';
import { reportRows, rowLines } from './rows.ts';

/** Lines that a person reads before they decide; a report has them all. */
const most = 40;

/**
 * Who gains or loses what, or why that cannot be judged, worst first: a line for each principal, then its details, which
 * begin with two spaces. Tokens that may last longer are with the gains. Beyond 40 lines the last one counts the rest.
 */
export function accessLines(
  report: Pick<Review, 'access' | 'findings' | 'tool'>,
  side: 'gains' | 'losses',
): string[] {
  const [own, other] = side === 'gains' ? (['after', 'loses'] as const) : (['before', 'gains'] as const);
  const lines = reportRows(report)
    .rows.filter((row) => row[side] !== 'none' || (side === 'gains' && mayLastLonger(row.life)))
    .flatMap((row) =>
      rowLines({
        ...row,
        policy: undefined,
        why: [
          ...(row.policy === undefined ? [] : [`by ${row.policy}`]),
          ...row.why.filter((text) => !text.startsWith(other)),
        ],
        cells: row.cells.filter((cell) => cell[own] !== nothing),
      }),
    );
  const leftOut = lines.length > most ? [`… and ${lines.length - most} more`] : [];
  return [...lines.slice(0, most), ...leftOut].map((line) => line.trimEnd());
}
