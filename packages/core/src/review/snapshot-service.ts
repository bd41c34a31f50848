import { formatDuration, parseDuration } from '../graph/values/duration.ts';
import { GatehouseError } from '../graph/values/errors.ts';
import { trimmed } from '../graph/values/loose-values.ts';
import { snapshotAge } from '../graph/values/snapshot-age.ts';
import type { LiveService } from './plan/live-service.ts';
import type { Snapshot } from './snapshot.ts';

/** How a snapshot is used. */
export interface SnapshotUse {
  /** Seconds after which it says nothing completely. Defaults to `snapshotAge`. */
  maxAge?: number;
  /** The service of the stack that a plan is for, where there is one. */
  service?: { address: string; namespace?: string | undefined } | undefined;
  /** The service's address by the plan itself. It counts where no stack says it. */
  plannedAddress?: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * What a service has, by a snapshot of it: a change is judged on top of it.
 *
 * @throws GatehouseError `snapshot_of_another_service`
 */
export function serviceOf(snapshot: Snapshot, use: SnapshotUse): LiveService {
  requireService(snapshot, use);
  const { maxAge = parseDuration(snapshotAge) ?? 0, now } = use;
  const since = Math.floor((now - Date.parse(snapshot.at)) / 1000);
  const seconds = Math.max(0, since);
  const age = formatDuration(seconds < 3600 ? seconds : seconds - (seconds % 3600));
  const { graph, ids, missing, namespace, server, isVerified, sudo } = snapshot;
  const stale = staleness(snapshot.at, since, maxAge);
  return {
    namespace,
    ids,
    isSnapshot: true,
    ...(sudo && { sudo }),
    graph: stale.length === 0 ? graph : { ...graph, complete: [] },
    missing: [...missing, ...stale],
    notes: [`Snapshot of ${server}, ${age} old${isVerified ? '' : '; source not verified'}.`],
  };
}

/** Clocks may be apart, in seconds; a snapshot from further ahead would never be old. */
const clocksApart = 300;

function staleness(at: string, since: number, maxAge: number): string[] {
  if (since < -clocksApart) return [`what is on the service now: the snapshot is dated ahead, ${at}`];
  if (since < maxAge) return [];
  return [`what changed on the service since ${at}: the snapshot is older than ${formatDuration(maxAge)}`];
}

function requireService(
  { server, namespace }: Snapshot,
  { service, plannedAddress }: Pick<SnapshotUse, 'service' | 'plannedAddress'>,
): void {
  if (service === undefined) {
    if (plannedAddress === undefined || mayBeSame(server, plannedAddress)) return;
    throw new GatehouseError('snapshot_of_another_service.plan', { given: server, allowed: plannedAddress });
  }
  const isSame = server === service.address && namespace === trimmed(service.namespace ?? '');
  if (isSame) return;
  throw new GatehouseError('snapshot_of_another_service', {
    given: [server, namespace].filter(Boolean).join(', namespace '),
    allowed: [service.address, trimmed(service.namespace ?? '')].filter(Boolean).join(', namespace '),
  });
}

/** Whether two addresses may lead to one service: a plan may leave out the port, or say it in another place. */
function mayBeSame(one: string, other: string): boolean {
  const [left, right] = [URL.parse(one), URL.parse(other)];
  if (left === null || right === null) return true;
  return left.hostname === right.hostname && (left.port === right.port || !left.port || !right.port);
}

/** Every text of a plan or a graph that may be the name of a person: names that are hashed in a snapshot are found by these. */
export function possibleNames(reviewed: readonly object[]): Set<string> {
  const texts = new Set<string>();
  const add = (value: unknown): void => {
    if (typeof value === 'string') for (const text of [value, ...value.split('/')]) texts.add(text);
    else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) add(part);
  };
  add(reviewed);
  return texts;
}
