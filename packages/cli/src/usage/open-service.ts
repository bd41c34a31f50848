import { isWhole, type ServiceGraph, trimmed } from '@gatehouse/core/graph';
import { type FoldedLog, RequestJudge } from '@gatehouse/core/usage';
import type { Stack } from '@gatehouse/engine';
import { openDeclared, requireEnvironment } from '../open/open-environment.ts';
import { type ReadLimits, readWhole } from '../open/open-graph.ts';
import { readSudoPaths } from '../open/sudo-paths.ts';
import { type SnapshotOptions, snapshotService } from '../snapshot/snapshot.ts';
import { auditHashes } from './audit-hash.ts';
import { type LogSource, readLog } from './read-log.ts';

/** The service that a log is of: what a stack declares, the service itself, or a snapshot of it. */
export interface ServiceSource {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  from: 'declared' | 'live' | 'snapshot';
  /** With `snapshot`. */
  snapshot?: Pick<SnapshotOptions, 'key' | 'digest' | 'maxAge'> & { file: string };
  limits?: ReadLimits;
  /** Name of the audit device, which then hashes the values that policies compare fields with. */
  hashWith?: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

export interface OpenedService extends ServiceGraph {
  /** Namespace of the service; empty for the root namespace. */
  namespace: string;
  /** What the audit device makes of texts in policies, by the text. */
  hashes: Map<string, string>;
  /** All that decides who can do what was read. */
  isWhole: boolean;
}

/**
 * Opens what a log is compared with.
 *
 * @throws GatehouseError what `openDeclared`, `snapshotService` and the client throw
 */
export async function openService(source: ServiceSource): Promise<OpenedService> {
  const { stack, env, hashWith, now } = source;
  const { service } = requireEnvironment(stack, env);
  const namespace = trimmed(service.namespace ?? '');
  const { graph, ids, missing, sudo } = await graphOf(source);
  const names = new RequestJudge({ graph }, BigInt(now) * 1_000_000n);
  const hashes =
    hashWith === undefined
      ? new Map<string, string>()
      : await auditHashes(hashWith, service, env, names.literals());
  return { graph, ids, namespace, hashes, missing, sudo, isWhole: isWhole(graph) && missing.length === 0 };
}

/**
 * Reads logs of a service: of its namespace, with the values of fields that its policies limit.
 *
 * @throws GatehouseError what `readLog` throws
 */
export async function readLogOf(
  { graph, namespace, hashes }: OpenedService,
  log: Pick<LogSource, 'files' | 'stdin' | 'since' | 'id' | 'most'>,
  now: number,
): Promise<FoldedLog> {
  const watched = new RequestJudge({ graph }, BigInt(now) * 1_000_000n).watched();
  return readLog({ ...log, namespace, watched, hashes });
}

async function graphOf({ stack, env, from, snapshot, limits, now }: ServiceSource): Promise<ServiceGraph> {
  if (from === 'declared') {
    const { graph } = await openDeclared(stack, env);
    return { graph, ids: { mount: {}, group: {}, entity: {} }, missing: [] };
  }
  const { service } = requireEnvironment(stack, env);
  if (from === 'live' || snapshot === undefined)
    return { ...(await readWhole(service, env, limits)), sudo: await readSudoPaths(service, env) };
  const { file, ...options } = snapshot;
  return snapshotService(file, { ...options, service, now });
}
