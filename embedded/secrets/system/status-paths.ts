import { randomUUID } from 'node:crypto';
import type { Handler, Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { key, type Storage } from '../storage/storage.ts';

/** Clients look for custom messages if the version holds `ent`. */
export const serviceVersion = '1.21.0+ent';

/** Status of the service, without a token. */
export const statusPaths: SecretsPath[] = [
  open('sys/health', health),
  open('sys/seal-status', sealStatus),
  open('sys/init', () => ({ body: { initialized: true } })),
  open('sys/leader', () => ({ body: { ha_enabled: false } })),
];

function open(pattern: string, read: Handler): SecretsPath {
  return { pattern, unauthenticated: true, operations: { read } };
}

function health({ storage, now }: RequestContext): Reply {
  return {
    body: {
      initialized: true,
      sealed: false,
      standby: false,
      performance_standby: false,
      replication_performance_mode: 'disabled',
      replication_dr_mode: 'disabled',
      server_time_utc: Number(now / 1_000_000_000n),
      version: serviceVersion,
      enterprise: true,
      ...cluster(storage),
    },
  };
}

function sealStatus({ storage }: RequestContext): Reply {
  return {
    body: {
      type: 'shamir',
      initialized: true,
      sealed: false,
      t: 1,
      n: 1,
      progress: 0,
      nonce: '',
      version: serviceVersion,
      build_date: '',
      migration: false,
      recovery_seal: false,
      storage_type: 'gatehouse',
      ...cluster(storage),
    },
  };
}

/** Generated once and stored. */
function cluster(storage: Storage): { cluster_name: string; cluster_id: string } {
  const place = key('', 'core', 'cluster-id');
  let id = storage.get(place);
  if (typeof id !== 'string') {
    id = randomUUID();
    storage.put(place, id);
  }
  return { cluster_name: `gatehouse-${id.slice(0, 8)}`, cluster_id: id };
}
