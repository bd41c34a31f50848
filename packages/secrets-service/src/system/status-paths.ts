import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type RequestContext, readOnly, type SecretsPath, withoutToken } from '../protocol/path.ts';
import { all, strings } from '../protocol/schemas.ts';
import { key, type Storage } from '../storage/storage.ts';

/** Clients look for custom messages if the version holds `ent`. */
export const serviceVersion = '1.21.0+ent';

function status(
  pattern: string,
  summary: string,
  read: (context: RequestContext) => Record<string, unknown>,
  fields: z.ZodRawShape,
): SecretsPath {
  const body = (context: RequestContext) => ({ body: read(context) });
  return withoutToken(readOnly(pattern, summary, body, { whole: z.strictObject(fields) }));
}

const aboutFields = {
  ...strings('version', 'cluster_name', 'cluster_id'),
  ...all(z.boolean(), 'initialized', 'sealed'),
};

export const statusPaths: SecretsPath[] = [
  status('sys/health', 'Whether the service is up', health, {
    ...aboutFields,
    ...all(z.boolean(), 'standby', 'performance_standby', 'enterprise'),
    ...strings('replication_performance_mode', 'replication_dr_mode'),
    server_time_utc: z.int(),
  }),
  status('sys/seal-status', 'Version and seal of the service', sealStatus, {
    ...aboutFields,
    ...strings('type', 'nonce', 'build_date', 'storage_type'),
    ...all(z.boolean(), 'migration', 'recovery_seal'),
    ...all(z.int(), 't', 'n', 'progress'),
  }),
  status('sys/init', 'Whether the service is set up', () => ({ initialized: true }), {
    initialized: z.boolean(),
  }),
  status('sys/leader', 'Whether there are several servers', () => ({ ha_enabled: false }), {
    ha_enabled: z.boolean(),
  }),
];

function health({ storage, now }: RequestContext) {
  return {
    ...about(storage),
    standby: false,
    performance_standby: false,
    replication_performance_mode: 'disabled',
    replication_dr_mode: 'disabled',
    server_time_utc: Number(now / 1_000_000_000n),
    enterprise: true,
  };
}

function sealStatus({ storage }: RequestContext) {
  return {
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
