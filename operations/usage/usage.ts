import { createHmac, randomBytes } from 'node:crypto';
import { type FoldedLog, hashesOf } from '../../core/usage/log-fold.ts';
import { RequestJudge } from '../../core/usage/request-judge.ts';
import { type Usage, usageOf } from '../../core/usage/usage.ts';
import { type OpenedService, openService, type ServiceSource } from './open-service.ts';
import { type LogSource, readLog } from './read-log.ts';

/** What a log says of a service. */
export interface UsageReport extends Usage {
  source: ServiceSource['from'];
  /** Lines and entries that were read. */
  lines: number;
  entries: number;
  signIns: number;
  /** What could not be read of the service, in words. */
  missing: string[];
}

export interface UsageRequest {
  log: Pick<LogSource, 'files' | 'stdin' | 'since'>;
  service: ServiceSource;
  /** Names of people in paths and roles are replaced by hashes that hold for this report alone. Defaults to false. */
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
  const { graph, ids, hashes, missing } = opened;
  const known = { graph, ids, hashes: hashesOf(folded, hashes) };
  const found = usageOf(folded, known, nanoseconds(service.now));
  return {
    source: service.from,
    ...(hashPeople ? withoutPeople(found, folded) : found),
    lines: folded.lines,
    entries: folded.entries,
    signIns: folded.signIns.reduce((sum, { count }) => sum + count, 0),
    missing,
  };
}

/** Reads logs of a service: of its namespace, with the values of fields that its policies limit. */
export function readLogOf(
  { graph, namespace }: Pick<OpenedService, 'graph' | 'namespace'>,
  log: Pick<LogSource, 'files' | 'stdin' | 'since'>,
  now: number,
): Promise<FoldedLog> {
  const watched = new RequestJudge({ graph }, nanoseconds(now)).watched();
  return readLog({ ...log, namespace, watched });
}

/** A name of a person is a segment of a path, or the alias behind a method's name. */
function withoutPeople(found: Usage, { signIns, requests }: FoldedLog): Usage {
  const key = randomBytes(32);
  const all = [...signIns.map(({ who }) => who), ...requests.map(({ by }) => by)];
  // `staff-ann` is ann of staff; which hyphen is the border is not told.
  const names = new Set(
    all.flatMap(({ name, entity, metadata }) => {
      const parts = name.split('-');
      return [entity, ...Object.values(metadata), ...parts.map((_, at) => parts.slice(at).join('-'))];
    }),
  );
  const hidden = (segment: string) =>
    names.has(segment) && segment !== ''
      ? `person-${createHmac('sha256', key).update(segment).digest('hex').slice(0, 8)}`
      : segment;
  const shown = (path: string) => path.split('/').map(hidden).join('/');
  return {
    ...found,
    refused: found.refused.map((one) => ({ ...one, by: shown(one.by), path: shown(one.path) })),
    used: found.used.map((one) => (one.kind === 'role' ? { ...one, name: shown(one.name) } : one)),
  };
}

const nanoseconds = (milliseconds: number) => BigInt(milliseconds) * 1_000_000n;
