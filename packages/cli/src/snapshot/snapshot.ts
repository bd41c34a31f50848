import { rename, writeFile } from 'node:fs/promises';
import { isWhole, trimmed } from '@gatehouse/core/graph';
import {
  type LiveService,
  readSnapshot,
  type Snapshot,
  type SnapshotKey,
  type SnapshotUse,
  serviceOf,
  snapshotOf,
} from '@gatehouse/core/review';
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

export type SnapshotOptions = SnapshotUse & SnapshotKey;

/**
 * Reads a snapshot for a review.
 *
 * @throws GatehouseError `file_unreadable`, `snapshot_of_another_service`, and what `readSnapshot` throws
 */
export async function snapshotService(file: string, options: SnapshotOptions): Promise<LiveService> {
  return serviceOf(await readSnapshotFile(file, options), options);
}

export async function readSnapshotFile(file: string, options: SnapshotKey): Promise<Snapshot> {
  return readSnapshot(await readText(file, 'snapshot'), options);
}

/** A file with a key: its text without blanks at its ends. */
export async function readKeyFile(path: string): Promise<string> {
  const text = (await readText(path, 'key')).trim();
  if (text.length >= 16) return text;
  throw new GatehouseError('snapshot_key_short', { allowed: 'at least 16 characters' });
}
