import { randomUUID } from 'node:crypto';
import type { Handler, Reply, RequestContext, SecretsPath } from '../protocol/path.ts';
import { key, type Storage } from '../storage/storage.ts';

/** Clients look for custom messages if the version holds `ent`. */
export const serviceVersion = '1.21.0+ent';

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
      ...about(storage),
      standby: false,
      performance_standby: false,
      replication_performance_mode: 'disabled',
      replication_dr_mode: 'disabled',
      server_time_utc: Number(now / 1_000_000_000n),
      enterprise: true,
    },
  };
}

function sealStatus({ storage }: RequestContext): Reply {
  return {
    body: {
      ...about(storage),
      type: 'shamir',
      t: 1,
      n: 1,
      progress: 0,
      nonce: '',
      build_date: '',
      migration: false,
      recovery_seal: false,
      storage_type: 'gatehouse',
    },
  };
}

/** The cluster's id is generated once and stored. */
function about(storage: Storage) {
  const place = key('', 'core', 'cluster-id');
  let id = storage.get(place);
  if (typeof id !== 'string') {
    id = randomUUID();
    storage.put(place, id);
  }
  const cluster = { cluster_name: `gatehouse-${id.slice(0, 8)}`, cluster_id: id };
  return { initialized: true, sealed: false, version: serviceVersion, ...cluster };
}
