import { z } from 'zod';
import {
  duration,
  flag,
  keysWith,
  list,
  type PathSchemas,
  pairs,
  texts,
  textsByName,
} from './operation-schema.ts';

const cluster = { cluster_name: z.string(), cluster_id: z.string() };
const whole = (fields: z.ZodRawShape) => ({ whole: z.strictObject(fields) });

const lists = {
  passthrough_request_headers: texts.optional(),
  allowed_response_headers: texts.optional(),
  audit_non_hmac_request_keys: texts.optional(),
  audit_non_hmac_response_keys: texts.optional(),
};
const mountConfig = {
  default_lease_ttl: z.int(),
  max_lease_ttl: z.int(),
  token_type: z.string().optional(),
  listing_visibility: z.string().optional(),
  force_no_cache: z.boolean(),
  ...lists,
};
const mountFields = {
  accessor: z.string(),
  config: z.strictObject(mountConfig),
  description: z.string(),
  external_entropy_access: z.boolean(),
  local: z.boolean(),
  options: z.strictObject({}).nullable(),
  seal_wrap: z.boolean(),
  type: z.string(),
  uuid: z.string(),
};
const mount = z.strictObject(mountFields);
const mounts = { data: z.record(z.string(), mount) };
const tune = { data: z.strictObject({ ...mountConfig, description: z.string() }) };
const tuneBody = z.object({
  default_lease_ttl: duration.optional(),
  max_lease_ttl: duration.optional(),
  token_type: z.string().optional(),
  listing_visibility: z.enum(['', 'hidden', 'unauth']).optional(),
  description: z.string().optional(),
  passthrough_request_headers: list.optional(),
  allowed_response_headers: list.optional(),
  audit_non_hmac_request_keys: list.optional(),
  audit_non_hmac_response_keys: list.optional(),
});
const namespace = z.strictObject({
  custom_metadata: textsByName,
  id: z.string(),
  locked: z.boolean(),
  path: z.string(),
  tainted: z.boolean(),
  uuid: z.string(),
});
/** A stranger is told less of a mount. */
const visibleMount = z.union([mount, mount.pick({ description: true, options: true, type: true })]);
const rules = z.record(z.string(), z.looseObject({ capabilities: texts }));

const devices = {
  data: z.record(
    z.string(),
    z.strictObject({
      description: z.string(),
      local: z.boolean(),
      options: textsByName,
      path: z.string(),
      type: z.string(),
    }),
  ),
};

export const systemSchemas: PathSchemas = {
  'sys/health': {
    read: {
      summary: 'Whether the service is up',
      answer: whole({
        initialized: z.boolean(),
        sealed: z.boolean(),
        standby: z.boolean(),
        performance_standby: z.boolean(),
        replication_performance_mode: z.string(),
        replication_dr_mode: z.string(),
        server_time_utc: z.int(),
        version: z.string(),
        enterprise: z.boolean(),
        ...cluster,
      }),
    },
  },
  'sys/seal-status': {
    read: {
      summary: 'Version and seal of the service',
      answer: whole({
        type: z.string(),
        initialized: z.boolean(),
        sealed: z.boolean(),
        t: z.int(),
        n: z.int(),
        progress: z.int(),
        nonce: z.string(),
        version: z.string(),
        build_date: z.string(),
        migration: z.boolean(),
        recovery_seal: z.boolean(),
        storage_type: z.string(),
        ...cluster,
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
  'sys/mounts': { read: { summary: 'List what is mounted beside auth methods', answer: mounts } },
  'sys/mounts/:name': { read: { summary: 'Read what is mounted', answer: { data: mount } } },
  'sys/mounts/:name/tune': { read: { summary: 'Read the tune of what is mounted', answer: tune } },
  'sys/remount': {
    update: {
      summary: 'Move an auth method',
      body: z.object({ from: z.string(), to: z.string() }),
      answer: { data: z.strictObject({ migration_id: z.string() }) },
    },
  },
  'sys/remount/status/:id': {
    read: {
      summary: 'How a move went',
      answer: {
        data: z.strictObject({
          migration_id: z.string(),
          migration_info: z.strictObject({
            source_mount: z.string(),
            target_mount: z.string(),
            status: z.string(),
          }),
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
      answer: {
        data: z.strictObject({
          auth: z.record(z.string(), visibleMount),
          secret: z.record(z.string(), visibleMount),
        }),
      },
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
      summary: 'What one’s policies come to',
      answer: {
        data: z.strictObject({
          exact_paths: rules.optional(),
          glob_paths: rules.optional(),
          root: z.boolean(),
        }),
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
