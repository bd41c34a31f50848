import type { GraphIds } from '../graph/graph.ts';
import type { EarlierRow, ReportStamp } from './access-csv.ts';
import { type AccessRow, accessRows, digest, madeAt, type ReportedService } from './access-rows.ts';
import { grantUse } from './grant-use.ts';
import type { FoldedLog } from './log-fold.ts';
import { sinceReport } from './since-report.ts';

/** Who has which access, for a certification. */
export interface AccessReport {
  rows: AccessRow[];
  stamp: ReportStamp;
  counts: Record<AccessRow['status'], number> & { notRead: number };
}

/**
 * Lists who has which access by what.
 *
 * @param read logs that tell when a grant was last used, and the hashes that count for them. Defaults to none.
 * @param earlier rows of an earlier report, whose decisions stay. Defaults to none.
 */
export function accessReport(
  service: Omit<ReportedService, 'use'> & { ids: GraphIds },
  now: bigint,
  read?: { folded: FoldedLog; hashes: ReadonlyMap<string, string> },
  earlier?: readonly EarlierRow[],
): AccessReport {
  const use = read && grantUse(read.folded, { ...service, hashes: read.hashes }, now);
  const found = accessRows({ ...service, ...(use && { use }) }, now);
  const rows = earlier === undefined ? found : sinceReport(found, earlier);
  const count = (status: AccessRow['status']) => rows.filter((row) => row.status === status).length;
  return {
    rows,
    stamp: { writtenAt: madeAt(now), graph: digest(service.graph), ...logStamp(read?.folded) },
    counts: {
      ...{ new: count('new'), changed: count('changed'), same: count('same'), gone: count('gone') },
      notRead: rows.filter(({ kind }) => kind === 'not read').length,
    },
  };
}

function logStamp(log: FoldedLog | undefined): Pick<ReportStamp, 'log' | 'from' | 'to'> {
  if (log === undefined) return { log: '', from: '', to: '' };
  const at = (time: number | undefined) => (time === undefined ? '' : new Date(time).toISOString());
  return {
    log: digest({ ...log, writes: Object.fromEntries(log.writes) }),
    ...{ from: at(log.from), to: at(log.to) },
  };
}
