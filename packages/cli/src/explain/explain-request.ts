import { type AuditEntry, whyRefused } from '@gatehouse/core/usage';
import { GatehouseError } from '@gatehouse/core/values';
import { openService, readLogOf, type ServiceSource } from '../usage/open-service.ts';
import type { LogSource } from '../usage/read-log.ts';

export interface RequestToExplain {
  id: string;
  log: Pick<LogSource, 'files' | 'stdin'>;
  service: ServiceSource;
}

/** The explanation of a request, with the source of what it is based on. */
export interface ExplainedRequest extends ReturnType<typeof whyRefused> {
  source: ServiceSource['from'];
  /** What could not be read of the service, in words. */
  missing: string[];
}

/** A request that the logs do not have, as far as they could be read. */
export interface MissingRequest {
  id: string;
  found: false;
  /** Lines of which something was not read: the request may be in one of them. */
  unread: number;
  /** Whether lines of this very request are damaged, so that the logs have it only in part. */
  isDamaged: boolean;
}

/** How many requests are kept apart while logs are read: the one that is looked for. */
const mostRequests = 1;

/**
 * Finds a request in audit logs and explains its answer.
 *
 * @throws GatehouseError `request_ambiguous`, and what `readLog` and `openService` throw
 */
export async function explainRequest({
  id,
  log,
  service,
}: RequestToExplain): Promise<ExplainedRequest | MissingRequest> {
  const opened = await openService(service);
  const folded = await readLogOf(opened, { ...log, id, most: mostRequests }, service.now);
  const [entry, ...rest] = folded.found;
  if (entry === undefined) {
    const isDamaged = folded.damaged.some((damaged) => damaged.id === id);
    return { id, found: false, unread: folded.unreadLines, isDamaged };
  }
  if (rest.some((other) => requestKey(other) !== requestKey(entry))) {
    throw new GatehouseError('request_ambiguous', { given: id });
  }
  const now = BigInt(service.now) * 1_000_000n;
  const explained = whyRefused(entry, folded, opened, now);
  return { ...explained, source: service.from, missing: opened.missing };
}

/** A key that is equal for a request in the logs of two devices, which have different salts and times. */
function requestKey({ operation, path, namespace, outcome, by }: AuditEntry): string {
  return JSON.stringify([operation, path, namespace, outcome, by?.name, by?.entity, by?.policies]);
}
