import { rename, writeFile } from 'node:fs/promises';
import { formatDuration, isWhole, trimmed } from '@gatehouse/core/graph';
import { type LiveService, readSnapshot, type Snapshot, snapshotOf } from '@gatehouse/core/review';
import { GatehouseError } from '@gatehouse/core/values';
import type { Stack } from '@gatehouse/engine';
import { requireEnvironment } from '../open/open-environment.ts';
import { type ReadLimits, readWhole } from '../open/open-graph.ts';
import { readText } from '../open/read-text.ts';
import { readSudoPaths } from '../open/sudo-paths.ts';

export interface SnapshotRequest {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  file: string;
  limits: ReadLimits;
  /** With which names of people are hashed, and the file is signed. */
  key?: string | undefined;
  /** Write names of people as they are. */
  names: boolean;
}

export interface SnapshotReport {
  file: string;
  digest: string;
  nodes: number;
  /** Whether all that can sign in was read. */
  whole: boolean;
  /** What could not be read, in words. */
  missing: string[];
}

/**
 * Writes what a stack's service has to a file that only its owner can read.
 *
 * @throws GatehouseError `snapshot_key_missing`, `file_unwritable`, and what `requireEnvironment` and the client throw
 */
export async function takeSnapshot(request: SnapshotRequest): Promise<SnapshotReport> {
  const { stack, env, file, limits, key, names } = request;
  if (key === undefined && !names) {
    throw new GatehouseError('snapshot_key_missing');
  }
  const { service } = requireEnvironment(stack, env);
  const live = { ...(await readWhole(service, env, limits)), sudo: await readSudoPaths(service, env) };
  const source = {
    at: `${new Date().toISOString().slice(0, 19)}Z`,
    server: service.address,
    namespace: trimmed(service.namespace ?? ''),
  };
  const { text, digest, nodes } = snapshotOf(live, source, key, names);
  const partial = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(partial, text, { mode: 0o600 });
    await rename(partial, file);
  } catch (cause) {
    throw new GatehouseError('file_unwritable', { given: file, cause });
  }
  const { graph, missing } = live;
  return { file, digest, whole: isWhole(graph), missing, nodes };
}

export interface SnapshotOptions {
  key?: string | undefined;
  digest?: string | undefined;
  /** Seconds after which it says nothing completely. */
  maxAge: number;
  /** Names that may be hashed in it. */
  names?: Iterable<string>;
  /** The service that a plan is for, where that is known. */
  service?: { address: string; namespace?: string | undefined } | undefined;
  now: number;
}

/**
 * Reads a snapshot for a review.
 *
 * @throws GatehouseError `file_unreadable`, `snapshot_of_another_service`, and what `readSnapshot` throws
 */
export async function snapshotService(file: string, options: SnapshotOptions): Promise<LiveService> {
  const snapshot = await readSnapshotFile(file, options);
  requireService(snapshot, options.service);
  const since = Math.floor((options.now - Date.parse(snapshot.at)) / 1000);
  const seconds = Math.max(0, since);
  const age = formatDuration(seconds < 3600 ? seconds : seconds - (seconds % 3600));
  const { graph, ids, missing, namespace, server, isVerified, sudo } = snapshot;
  const stale = staleness(snapshot.at, since, options.maxAge);
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

export async function readSnapshotFile(
  file: string,
  options: Pick<SnapshotOptions, 'key' | 'digest' | 'names'>,
): Promise<Snapshot> {
  return readSnapshot(await readText(file, 'snapshot'), options);
}

function requireService({ server, namespace }: Snapshot, service: SnapshotOptions['service']): void {
  if (service === undefined) return;
  const isSame = server === service.address && namespace === trimmed(service.namespace ?? '');
  if (isSame) return;
  throw new GatehouseError('snapshot_of_another_service', {
    given: [server, namespace].filter(Boolean).join(', namespace '),
    allowed: [service.address, trimmed(service.namespace ?? '')].filter(Boolean).join(', namespace '),
  });
}

/** A file with a key: its text without blanks at its ends. */
export async function readKeyFile(path: string): Promise<string> {
  const text = (await readText(path, 'key')).trim();
  if (text.length >= 16) return text;
  throw new GatehouseError('snapshot_key_short', { allowed: 'at least 16 characters' });
}
