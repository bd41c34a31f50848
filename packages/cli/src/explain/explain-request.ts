import { type AuditEntry, hashesOf, whyRefused } from '@gatehouse/core/usage';
import { GatehouseError } from '@gatehouse/core/values';
import { openService, type ServiceSource } from '../usage/open-service.ts';
import { type LogSource, readLog } from '../usage/read-log.ts';

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

/** Keeps what is told apart bounded: one request is looked for, and sign-ins. */
const mostRequests = 1;

/**
 * Finds a request in audit logs and explains its answer.
 *
 * @returns undefined where the logs do not have it
 * @throws GatehouseError `request_ambiguous`, and what `readLog` and `openService` throw
 */
export async function explainRequest({
  id,
  log,
  service,
}: RequestToExplain): Promise<ExplainedRequest | undefined> {
  const opened = await openService(service);
  const { namespace, missing } = opened;
  let found: AuditEntry | undefined;
  let isAmbiguous = false;
  const folded = await readLog({
    ...log,
    namespace,
    most: mostRequests,
    onEntry: (entry) => {
      if (entry.id !== id) return;
      isAmbiguous ||= found !== undefined && keyOf(found) !== keyOf(entry);
      found ??= entry;
    },
  });
  if (found === undefined) return undefined;
  if (isAmbiguous) {
    throw new GatehouseError('request_ambiguous', { given: id });
  }
  const isOfDevice = found.at >= (folded.device ?? 0);
  const hashes = isOfDevice ? hashesOf(folded, opened.hashes) : new Map<string, string>();
  const now = BigInt(service.now) * 1_000_000n;
  const explained = whyRefused(found, folded, { ...opened, hashes }, now);
  return { ...explained, source: service.from, missing };
}

/** The same in the logs of two devices, each with a salt and a time of its own. */
function keyOf({ operation, path, namespace, outcome, by }: AuditEntry): string {
  return JSON.stringify([operation, path, namespace, outcome, by?.name, by?.entity, by?.policies]);
}
