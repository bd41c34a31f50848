import { createHmac, randomBytes } from 'node:crypto';
import { type FoldedLog, type Usage, usageOf } from '@gatehouse/core/usage';
import { openService, readLogOf, type ServiceSource } from './open-service.ts';
import type { LogSource } from './read-log.ts';

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
  const { folded, hashes } = await readLogOf(opened, log, service.now);
  const { graph, ids, missing } = opened;
  const found = usageOf(folded, { graph, ids, hashes }, BigInt(service.now) * 1_000_000n);
  return {
    source: service.from,
    ...(hashPeople ? withoutPeople(found, folded) : found),
    lines: folded.lines,
    entries: folded.entries,
    signIns: folded.signIns.reduce((sum, { count }) => sum + count, 0),
    missing,
  };
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
