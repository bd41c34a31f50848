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
  op,
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
const listMethods = op('List the auth methods', { data: z.record(z.string(), mount) });
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
const listDevices = op('List the audit devices', { data: z.record(z.string(), device) });

const policy = { name: z.string(), version: z.int(), modified: z.string().optional() };
const deletePolicy = op('Delete a policy');
const listPolicies = op('List the policies', { data: z.strictObject({ keys: texts, policies: texts }) });
/** By path; for a single path also as `capabilities`. */
const capabilities = { data: z.record(z.string(), texts) };
const atPaths = z.object(all(list, 'paths', 'path')).partial();

export const systemSchemas: PathSchemas = {
  'read sys/health': op(
    'Whether the service is up',
    whole({
      ...about,
      ...all(z.boolean(), 'initialized', 'sealed', 'standby', 'performance_standby', 'enterprise'),
      ...strings('replication_performance_mode', 'replication_dr_mode'),
      server_time_utc: z.int(),
    }),
  ),
  'read sys/seal-status': op(
    'Version and seal of the service',
    whole({
      ...about,
      ...strings('type', 'nonce', 'build_date', 'storage_type'),
      ...all(z.boolean(), 'initialized', 'sealed', 'migration', 'recovery_seal'),
      ...all(z.int(), 't', 'n', 'progress'),
    }),
  ),
  'read sys/init': op('Whether the service is set up', whole({ initialized: z.boolean() })),
  'read sys/leader': op('Whether there are several servers', whole({ ha_enabled: z.boolean() })),
  'read sys/auth': listMethods,
  'list sys/auth': listMethods,
  'read sys/auth/:path+': op('Read an auth method; its tune at …/tune', {
    data: z.union([mount, tune.data]),
  }),
  'update sys/auth/:path+': op('Enable an auth method; its tune at …/tune', {
    body: tuneBody.extend({
      type: z.string().optional(),
      config: tuneBody.optional(),
      local: flag.optional(),
    }),
  }),
  'delete sys/auth/:path+': op('Disable an auth method'),
  'read sys/mounts/auth/:path+': op('Read the tune of an auth method (…/tune)', tune),
  'update sys/mounts/auth/:path+': op('Tune an auth method (…/tune)', { body: tuneBody }),
  'read sys/mounts': op('List the mounts that are not auth methods', { data: z.record(z.string(), mount) }),
  'read sys/mounts/:name': op('Read such a mount', { data: mount }),
  'read sys/mounts/:name/tune': op('Read the tune of such a mount', tune),
  'update sys/remount': op('Move an auth method', {
    body: z.object(strings('from', 'to')),
    data: z.strictObject(strings('migration_id')),
  }),
  'read sys/remount/status/:id': op('Read the status of a move', {
    data: z.strictObject({
      migration_id: z.string(),
      migration_info: z.strictObject(strings('source_mount', 'target_mount', 'status')),
    }),
  }),
  'list sys/namespaces': op('List the namespaces', keysWith(namespace)),
  'read sys/namespaces/:name+': op('Read a namespace', { data: namespace }),
  'update sys/namespaces/:name+': op('Create a namespace, or change its metadata', {
    body: z.object({ custom_metadata: pairs.optional() }),
    data: namespace,
  }),
  'delete sys/namespaces/:name+': op('Delete a namespace with everything in it', {
    data: z.strictObject({ status: z.string() }).nullable(),
    mayBeEmpty: true,
  }),
  'read sys/internal/ui/mounts': op('List the mounts that the caller can see', {
    data: z.strictObject(all(z.record(z.string(), visibleMount), 'auth', 'secret')),
  }),
  'read sys/internal/ui/mounts/:path+': op('Read the mount of a path', {
    data: z.strictObject({ ...mountFields, path: z.string() }),
  }),
  'read sys/internal/ui/resultant-acl': op('What the caller’s policies allow', {
    data: z.strictObject({ ...all(rules.optional(), 'exact_paths', 'glob_paths'), root: z.boolean() }),
  }),
  'read sys/audit': listDevices,
  'list sys/audit': listDevices,
  'update sys/audit/:path+': op('Always refused: the audit log is set when the service is started'),
  'delete sys/audit/:path+': op('Refused for the existing device'),
  'update sys/audit-hash/:path+': op('Hash a text as the audit log does', {
    body: z.object({ input: z.string() }),
    data: z.strictObject({ hash: z.string() }),
  }),
  'read sys/metrics': op('Metrics for Prometheus', { query: ['format'], text: z.string() }),
  'read sys/internal/specs/openapi': op('This document', { whole: z.looseObject({ openapi: z.string() }) }),
  'list sys/policies/acl': op('List the policies', keys),
  'read sys/policies/acl/:name+': op('Read a policy', {
    data: z.strictObject({ ...policy, policy: z.string() }),
  }),
  'update sys/policies/acl/:name+': op('Write a policy', { body: z.object(strings('policy')) }),
  'delete sys/policies/acl/:name+': deletePolicy,
  'read sys/policy': listPolicies,
  'list sys/policy': listPolicies,
  'read sys/policy/:name+': op('Read a policy', { data: z.strictObject({ ...policy, rules: z.string() }) }),
  'update sys/policy/:name+': op('Write a policy', { body: z.object(strings('policy', 'rules')).partial() }),
  'delete sys/policy/:name+': deletePolicy,
  'update sys/capabilities-self': op('What the caller may do at paths', { body: atPaths, ...capabilities }),
  'update sys/capabilities': op('What a token may do at paths', {
    body: atPaths.extend({ token: z.string() }),
    ...capabilities,
  }),
  'update sys/capabilities-accessor': op('What the token of an accessor may do at paths', {
    body: atPaths.extend({ accessor: z.string() }),
    ...capabilities,
  }),
};
