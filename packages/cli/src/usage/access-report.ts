import {
  type AccessRow,
  accessRows,
  digest,
  type FoldedLog,
  grantUse,
  madeAt,
  type ReportStamp,
  readReport,
  sinceReport,
} from '@gatehouse/core/usage';
import { requireEnvironment } from '../open/open-environment.ts';
import { readText } from '../open/read-text.ts';
import { openService, readLogOf, type ServiceSource } from './open-service.ts';
import type { LogSource } from './read-log.ts';

export interface ReportRequest {
  service: ServiceSource;
  /** Logs that tell when a grant was last used. Defaults to none. */
  log?: Pick<LogSource, 'files' | 'stdin'>;
  /** Path of an earlier report. */
  since?: string;
}

/** Who has which access, for a certification. */
export interface AccessReportFile {
  /** Of the report's form. */
  format: 1;
  source: ServiceSource['from'];
  stamp: ReportStamp;
  counts: Record<AccessRow['status'], number> & { notRead: number };
  rows: AccessRow[];
}

/**
 * Lists who has which access by what.
 *
 * @throws GatehouseError `file_unreadable`, and what `readReport`, `readLog` and `openService` throw
 */
export async function accessReport({ service, log, since }: ReportRequest): Promise<AccessReportFile> {
  const earlier = since === undefined ? [] : readReport(await readText(since, 'earlier report'), since);
  const opened = await openService(service);
  const { exceptions, promises } = requireEnvironment(service.stack, service.env);
  const now = BigInt(service.now) * 1_000_000n;
  const { graph, missing } = opened;
  const read = log && (await readLogOf(opened, log, service.now));
  const use = read && grantUse(read.folded, { ...opened, hashes: read.hashes }, now);
  const found = accessRows({ graph, missing, exceptions, promises, ...(use && { use }) }, now);
  const rows = since === undefined ? found : sinceReport(found, earlier);
  const count = (status: AccessRow['status']) => rows.filter((row) => row.status === status).length;
  return {
    ...{ format: 1, source: service.from, rows },
    stamp: { writtenAt: madeAt(now), graph: digest(graph), ...logStamp(read?.folded) },
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
