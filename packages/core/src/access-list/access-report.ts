import type { FoldedLog } from '../usage/folded-log.ts';
import { grantUse } from '../usage/grant-use.ts';
import type { JudgedService } from '../usage/request-judge.ts';
import type { EarlierRow, ReportStamp } from './access-csv.ts';
import { type AccessRow, accessRows, madeAt, type ReportedService } from './access-rows.ts';
import { digest } from './grant-conditions.ts';
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
 * @param log tells when a grant was last used. Defaults to none.
 * @param earlier rows of an earlier report, whose decisions stay. Defaults to none.
 */
export function accessReport(
  service: Omit<ReportedService, 'use'> & Omit<JudgedService, 'hidden'>,
  now: bigint,
  log?: FoldedLog,
  earlier?: readonly EarlierRow[],
): AccessReport {
  const use = log && grantUse(log, service, now);
  const current = accessRows({ ...service, ...(use && { use }) }, now);
  const rows = earlier === undefined ? current : sinceReport(current, earlier);
  const count = (status: AccessRow['status']) => rows.filter((row) => row.status === status).length;
  return {
    rows,
    stamp: { writtenAt: madeAt(now), graph: digest(service.graph), ...logStamp(log) },
    counts: {
      new: count('new'),
      changed: count('changed'),
      same: count('same'),
      gone: count('gone'),
      notRead: rows.filter(({ kind }) => kind === 'not read').length,
    },
  };
}

function logStamp(log: FoldedLog | undefined): Pick<ReportStamp, 'log' | 'from' | 'to'> {
  if (log === undefined) return { log: '', from: '', to: '' };
  const at = (time: number | undefined) => (time === undefined ? '' : new Date(time).toISOString());
  return {
    log: digest({ ...log, writes: Object.fromEntries(log.writes) }),
    from: at(log.from),
    to: at(log.to),
  };
}
