import { z } from 'zod';
import { tuneFields } from '../../../core/model/resources/auth-method.ts';
import { tunedLists } from '../mounts/mount.ts';
import {
  all,
  bodyFields,
  flag,
  keys,
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
const listMethods = { summary: 'List the auth methods', answer: { data: z.record(z.string(), mount) } };
const tune = { data: z.strictObject({ ...mountConfig, description: z.string() }) };
const tuneBody = z.object({
  ...bodyFields(tuneFields),
  description: z.string().optional(),
  ...all(list.optional(), ...tunedLists),
});
const namespace = z.strictObject({
  ...strings('id', 'path', 'uuid'),
  ...all(z.boolean(), 'locked', 'tainted'),
  custom_metadata: textsByName,
});
/** Without a token, less is returned. */
const visibleMount = z.union([mount, mount.pick({ description: true, options: true, type: true })]);
const rules = z.record(z.string(), z.looseObject({ capabilities: texts }));
const device = z.strictObject({
  ...strings('description', 'path', 'type'),
  local: z.boolean(),
  options: textsByName,
});
const listDevices = { summary: 'List the audit devices', answer: { data: z.record(z.string(), device) } };

const policy = { name: z.string(), version: z.int(), modified: z.string().optional() };
const deletePolicy = { summary: 'Delete a policy' };
const listPolicies = {
  summary: 'List the policies',
  answer: { data: z.strictObject({ keys: texts, policies: texts }) },
};
/** By path; for a single path also as `capabilities`. */
const capabilities = { data: z.record(z.string(), texts) };
const atPaths = z.object(all(list, 'paths', 'path')).partial();

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
  'sys/auth': { read: listMethods, list: listMethods },
  'sys/auth/:path+': {
    read: {
      summary: 'Read an auth method; its tune at …/tune',
      answer: { data: z.union([mount, tune.data]) },
    },
    update: {
      summary: 'Enable an auth method; its tune at …/tune',
      body: tuneBody.extend({
        type: z.string().optional(),
        config: tuneBody.optional(),
        local: flag.optional(),
      }),
    },
    delete: { summary: 'Disable an auth method' },
  },
  'sys/mounts/auth/:path+': {
    read: { summary: 'Read the tune of an auth method (…/tune)', answer: tune },
    update: { summary: 'Tune an auth method (…/tune)', body: tuneBody },
  },
  'sys/mounts': { read: { ...listMethods, summary: 'List the mounts that are not auth methods' } },
  'sys/mounts/:name': { read: { summary: 'Read such a mount', answer: { data: mount } } },
  'sys/mounts/:name/tune': { read: { summary: 'Read the tune of such a mount', answer: tune } },
  'sys/remount': {
    update: {
      summary: 'Move an auth method',
      body: z.object(strings('from', 'to')),
      answer: { data: z.strictObject(strings('migration_id')) },
    },
  },
  'sys/remount/status/:id': {
    read: {
      summary: 'Read the status of a move',
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
      summary: 'Create a namespace, or change its metadata',
      body: z.object({ custom_metadata: pairs.optional() }),
      answer: { data: namespace },
    },
    delete: {
      summary: 'Delete a namespace with everything in it',
      answer: { data: z.strictObject({ status: z.string() }).nullable() },
      mayBeEmpty: true,
    },
  },
  'sys/internal/ui/mounts': {
    read: {
      summary: 'List the mounts that the caller can see',
      answer: { data: z.strictObject(all(z.record(z.string(), visibleMount), 'auth', 'secret')) },
    },
  },
  'sys/internal/ui/mounts/:path+': {
    read: {
      summary: 'Read the mount of a path',
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
  'sys/audit': { read: listDevices, list: listDevices },
  'sys/audit/:path+': {
    update: { summary: 'Always refused: the audit log is set when the service is started' },
    delete: { summary: 'Refused for the existing device' },
  },
  'sys/audit-hash/:path+': {
    update: {
      summary: 'Hash a text as the audit log does',
      body: z.object({ input: z.string() }),
      answer: { data: z.strictObject({ hash: z.string() }) },
    },
  },
  'sys/metrics': {
    read: { summary: 'Metrics for Prometheus', query: ['format'], answer: { text: z.string() } },
  },
  'sys/internal/specs/openapi': {
    read: { summary: 'This document', answer: { whole: z.looseObject({ openapi: z.string() }) } },
  },
  'sys/policies/acl': { list: { summary: 'List the policies', answer: keys } },
  'sys/policies/acl/:name+': {
    read: { summary: 'Read a policy', answer: { data: z.strictObject({ ...policy, policy: z.string() }) } },
    update: { summary: 'Write a policy', body: z.object(strings('policy')) },
    delete: deletePolicy,
  },
  'sys/policy': { read: listPolicies, list: listPolicies },
  'sys/policy/:name+': {
    read: { summary: 'Read a policy', answer: { data: z.strictObject({ ...policy, rules: z.string() }) } },
    update: { summary: 'Write a policy', body: z.object(strings('policy', 'rules')).partial() },
    delete: deletePolicy,
  },
  'sys/capabilities-self': {
    update: { summary: 'What the caller may do at paths', body: atPaths, answer: capabilities },
  },
  'sys/capabilities': {
    update: {
      summary: 'What a token may do at paths',
      body: atPaths.extend({ token: z.string() }),
      answer: capabilities,
    },
  },
  'sys/capabilities-accessor': {
    update: {
      summary: 'What the token of an accessor may do at paths',
      body: atPaths.extend({ accessor: z.string() }),
      answer: capabilities,
    },
  },
};
