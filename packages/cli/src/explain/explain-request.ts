import { type AuditEntry, whyRefused } from '@gatehouse/core/usage';
import { GatehouseError } from '@gatehouse/core/values';
import { openService, readLogOf, type ServiceSource } from '../usage/open-service.ts';
import type { LogSource } from '../usage/read-log.ts';

export interface RequestToExplain {
  id: string;
  log: Pick<LogSource, 'files' | 'stdin'>;
  service: ServiceSource;
}

/** One request explained, with what it was explained by. */
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
  /** Some of them are of this request, which is not there whole. */
  isDamaged: boolean;
}

/** Keeps what is told apart bounded: one request is looked for, and sign-ins. */
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
  const [found, ...rest] = folded.found;
  if (found === undefined) {
    const isDamaged = folded.damaged.some((one) => one.id === id);
    return { id, found: false, unread: folded.unreadLines, isDamaged };
  }
  if (rest.some((one) => keyOf(one) !== keyOf(found))) {
    throw new GatehouseError('request_ambiguous', { given: id });
  }
  const now = BigInt(service.now) * 1_000_000n;
  const explained = whyRefused(found, folded, opened, now);
  return { ...explained, source: service.from, missing: opened.missing };
}

/** The same in the logs of two devices, each with a salt and a time of its own. */
function keyOf({ operation, path, namespace, outcome, by }: AuditEntry): string {
  return JSON.stringify([operation, path, namespace, outcome, by?.name, by?.entity, by?.policies]);
}
