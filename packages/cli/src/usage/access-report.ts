import { type AccessReport, accessReport, readReport } from '@gatehouse/core/access-list';
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

/** The access report of a service. */
export interface AccessReportFile extends AccessReport {
  /** Version of the report's form. */
  format: 1;
  source: ServiceSource['from'];
}

/**
 * Lists who has which access by what.
 *
 * @throws GatehouseError `file_unreadable`, and what `readReport`, `readLog` and `openService` throw
 */
export async function reportAccess({ service, log, since }: ReportRequest): Promise<AccessReportFile> {
  const earlier =
    since === undefined ? undefined : readReport(await readText(since, 'earlier report'), since);
  const opened = await openService(service);
  const { exceptions, promises } = requireEnvironment(service.stack, service.env);
  const now = BigInt(service.now) * 1_000_000n;
  const folded = log && (await readLogOf(opened, log, service.now));
  const missing = opened.missing.map((what) => ({ kind: 'not-read' as const, what }));
  const report = accessReport({ ...opened, missing, exceptions, promises }, now, folded, earlier);
  return { format: 1, source: service.from, ...report };
}
