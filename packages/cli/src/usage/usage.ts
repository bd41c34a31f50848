import { type FoldedLog, type Usage, usageOf } from '@gatehouse/core/usage';
import { withoutPeople } from './hidden-people.ts';
import { openService, readLogOf, type ServiceSource } from './open-service.ts';
import type { LogSource } from './read-log.ts';

/** What a log says of a service. */
export interface UsageReport extends Usage {
  source: ServiceSource['from'];
  /** Lines and entries that were read. */
  lines: number;
  entries: number;
  /** Where the bytes of the logs went. It is sure what was used only if none of them is unread. */
  bytes: FoldedLog['bytes'];
  signIns: number;
  /** What could not be read of the service, in words. */
  missing: string[];
}

export interface UsageRequest {
  log: Pick<LogSource, 'files' | 'stdin' | 'since'>;
  service: ServiceSource;
  /** Names of people, wherever they stand, are replaced by hashes that hold for this report alone. Defaults to false. */
  hashPeople?: boolean;
}

/**
 * Says what of a service was used, by its audit logs.
 *
 * @throws GatehouseError what `openService` and `readLog` throw
 */
export async function usage({ log, service, hashPeople = false }: UsageRequest): Promise<UsageReport> {
  const opened = await openService(service);
  const folded = await readLogOf(opened, log, service.now);
  const { missing } = opened;
  const used = usageOf(folded, opened, BigInt(service.now) * 1_000_000n);
  return {
    source: service.from,
    ...(hashPeople ? withoutPeople(used, folded, opened) : used),
    lines: folded.lines,
    entries: folded.entries,
    bytes: folded.bytes,
    signIns: folded.signIns.reduce((sum, { count }) => sum + count, 0),
    missing,
  };
}
