import { z } from 'zod';
import { tunedLists } from '../mounts/mount-paths.ts';
import {
  all,
  duration,
  flag,
  keysWith,
  list,
  type PathSchemas,
  pairs,
  strings,
  texts,
  textsByName,
} from './operation-schema.ts';

const about = strings('version', 'cluster_name', 'cluster_id');
const whole = (fields: z.ZodRawShape) => ({ whole: z.strictObject(fields) });

const mountConfig = {
  ...all(z.int(), 'default_lease_ttl', 'max_lease_ttl'),
  ...all(z.string().optional(), 'token_type', 'listing_visibility'),
  ...all(texts.optional(), ...tunedLists),
  force_no_cache: z.boolean(),
};
const mountFields = {
  ...strings('accessor', 'description', 'type', 'uuid'),
  ...all(z.boolean(), 'external_entropy_access', 'local', 'seal_wrap'),
  config: z.strictObject(mountConfig),
  options: z.strictObject({}).nullable(),
};
const mount = z.strictObject(mountFields);
const mounts = { data: z.record(z.string(), mount) };
const tune = { data: z.strictObject({ ...mountConfig, description: z.string() }) };
const tuneBody = z
  .object({
    ...all(duration, 'default_lease_ttl', 'max_lease_ttl'),
    ...strings('token_type', 'description'),
    ...all(list, ...tunedLists),
    listing_visibility: z.enum(['', 'hidden', 'unauth']),
  })
  .partial();
const namespace = z.strictObject({
  ...strings('id', 'path', 'uuid'),
  ...all(z.boolean(), 'locked', 'tainted'),
  custom_metadata: textsByName,
});
/** A stranger is told less of a mount. */
const visibleMount = z.union([mount, mount.pick({ description: true, options: true, type: true })]);
const visibleMounts = z.record(z.string(), visibleMount);
const rules = z.record(z.string(), z.looseObject({ capabilities: texts }));
const device = z.strictObject({
  ...strings('description', 'path', 'type'),
  local: z.boolean(),
  options: textsByName,
});
const devices = { data: z.record(z.string(), device) };

export const systemSchemas: PathSchemas = {
  'sys/health': {
    read: {
      summary: 'Whether the service is up',
      answer: whole({
        ...about,
        ...all(z.boolean(), 'initialized', 'sealed', 'standby', 'performance_standby', 'enterprise'),
        ...strings('replication_performance_mode', 'replication_dr_mode'),
        server_time_utc: z.int(),
      }),
    },
  },
  'sys/seal-status': {
    read: {
      summary: 'Version and seal of the service',
      answer: whole({
        ...about,
        ...strings('type', 'nonce', 'build_date', 'storage_type'),
        ...all(z.boolean(), 'initialized', 'sealed', 'migration', 'recovery_seal'),
        ...all(z.int(), 't', 'n', 'progress'),
      }),
    },
  },
  'sys/init': {
    read: { summary: 'Whether the service is set up', answer: whole({ initialized: z.boolean() }) },
  },
  'sys/leader': {
    read: { summary: 'Whether there are several servers', answer: whole({ ha_enabled: z.boolean() }) },
  },
  'sys/auth': {
    read: { summary: 'List the auth methods', answer: mounts },
    list: { summary: 'List the auth methods', answer: mounts },
  },
  'sys/auth/:path+': {
    read: {
      summary: 'Read an auth method; its tune at …/tune',
      answer: { data: z.union([mount, tune.data]) },
    },
    update: {
      summary: 'Enable an auth method; its tune at …/tune',
      body: tuneBody.extend({
        type: z.string().optional(),
        config: tuneBody.partial().optional(),
        local: flag.optional(),
      }),
    },
    delete: { summary: 'Disable an auth method' },
  },
  'sys/mounts/auth/:path+': {
    read: { summary: 'Read the tune of an auth method (…/tune)', answer: tune },
    update: { summary: 'Tune an auth method (…/tune)', body: tuneBody },
  },
  'sys/mounts': { read: { summary: 'List what is mounted besides auth methods', answer: mounts } },
  'sys/mounts/:name': { read: { summary: 'Read what is mounted', answer: { data: mount } } },
  'sys/mounts/:name/tune': { read: { summary: 'Read the tune of what is mounted', answer: tune } },
  'sys/remount': {
    update: {
      summary: 'Move an auth method',
      body: z.object(strings('from', 'to')),
      answer: { data: z.strictObject(strings('migration_id')) },
    },
  },
  'sys/remount/status/:id': {
    read: {
      summary: 'How a move went',
      answer: {
        data: z.strictObject({
          migration_id: z.string(),
          migration_info: z.strictObject(strings('source_mount', 'target_mount', 'status')),
        }),
      },
    },
  },
  'sys/namespaces': { list: { summary: 'List the namespaces', answer: keysWith(namespace) } },
  'sys/namespaces/:name+': {
    read: { summary: 'Read a namespace', answer: { data: namespace } },
    update: {
      summary: 'Make a namespace',
      body: z.object({ custom_metadata: pairs.optional() }),
      answer: { data: namespace },
    },
    delete: {
      summary: 'Delete a namespace and all in it',
      answer: { data: z.strictObject({ status: z.string() }).nullable() },
      mayBeEmpty: true,
    },
  },
  'sys/internal/ui/mounts': {
    read: {
      summary: 'What one sees mounted',
      answer: { data: z.strictObject(all(visibleMounts, 'auth', 'secret')) },
    },
  },
  'sys/internal/ui/mounts/:path+': {
    read: {
      summary: 'The mount of a path',
      answer: { data: z.strictObject({ ...mountFields, path: z.string() }) },
    },
  },
  'sys/internal/ui/resultant-acl': {
    read: {
      summary: 'What the caller’s policies allow',
      answer: {
        data: z.strictObject({ ...all(rules.optional(), 'exact_paths', 'glob_paths'), root: z.boolean() }),
      },
    },
  },
  'sys/audit': {
    read: { summary: 'List the audit devices', answer: devices },
    list: { summary: 'List the audit devices', answer: devices },
  },
  'sys/audit/:path+': {
    update: { summary: 'Refused: the audit log is named when the service is started' },
    delete: { summary: 'Refused for the device that there is' },
  },
  'sys/audit-hash/:path+': {
    update: {
      summary: 'What stands for a text in the audit log',
      body: z.object({ input: z.string() }),
      answer: { data: z.strictObject({ hash: z.string() }) },
    },
  },
  'sys/metrics': {
    read: {
      summary: 'What the service did, for Prometheus',
      query: ['format'],
      answer: { text: z.string() },
    },
  },
  'sys/internal/specs/openapi': {
    read: { summary: 'This document', answer: { whole: z.looseObject({ openapi: z.string() }) } },
  },
};
