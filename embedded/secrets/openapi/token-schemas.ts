import { z } from 'zod';
import {
  all,
  duration,
  flag,
  instant,
  keys,
  list,
  type PathSchemas,
  pairs,
  strings,
  texts,
  textsByName,
} from './operation-schema.ts';

/** What a sign-in, a new token and a renewal answer. */
export const auth = z.strictObject({
  ...strings('client_token', 'accessor', 'entity_id'),
  ...all(z.boolean(), 'renewable', 'orphan'),
  ...all(z.int(), 'lease_duration', 'num_uses'),
  policies: texts,
  ...all(texts.optional(), 'token_policies', 'identity_policies'),
  metadata: textsByName.nullable(),
  token_type: z.enum(['service', 'batch']),
  mfa_requirement: z.null(),
});

const token = z.strictObject({
  ...strings('accessor', 'display_name', 'entity_id', 'id', 'issue_time', 'path'),
  ...all(z.boolean(), 'renewable', 'orphan'),
  ...all(z.int(), 'creation_time', 'creation_ttl', 'explicit_max_ttl', 'num_uses', 'ttl'),
  ...all(z.int().optional(), 'last_renewal_time', 'period'),
  ...all(z.string().optional(), 'last_renewal', 'namespace_path'),
  policies: texts,
  ...all(texts.optional(), 'identity_policies', 'bound_cidrs'),
  external_namespace_policies: z.record(z.string(), texts).optional(),
  expire_time: instant.nullable(),
  meta: textsByName.nullable(),
  type: z.enum(['service', 'batch']),
});

const newToken = z
  .object({
    ...strings('id', 'display_name'),
    ...all(list, 'policies', 'bound_cidrs'),
    ...all(flag, 'no_parent', 'no_default_policy', 'renewable'),
    ...all(duration, 'ttl', 'explicit_max_ttl', 'period'),
    meta: pairs,
    num_uses: z.int(),
    type: z.enum(['service', 'batch', '']),
  })
  .partial();
const byToken = z.object(strings('token'));
const byAccessor = z.object(strings('accessor'));
const increment = { increment: duration.optional() };

export const tokenSchemas: PathSchemas = {
  'auth/token/create': { update: { summary: 'Make a token', body: newToken, answer: { auth } } },
  'auth/token/create-orphan': {
    update: { summary: 'Make a token without a parent', body: newToken, answer: { auth } },
  },
  'auth/token/create/:role': {
    update: { summary: 'Make a token by a token role; there are none', body: newToken, answer: { auth } },
  },
  'auth/token/lookup-self': {
    read: { summary: 'Look one’s own token up', answer: { data: token } },
    update: { summary: 'Look one’s own token up', answer: { data: token } },
  },
  'auth/token/lookup': {
    read: { summary: 'Look a token up', query: ['token'], answer: { data: token } },
    update: { summary: 'Look a token up', body: byToken.partial(), answer: { data: token } },
  },
  'auth/token/lookup-accessor': {
    update: { summary: 'Look a token up by its accessor', body: byAccessor, answer: { data: token } },
  },
  'auth/token/renew-self': {
    update: { summary: 'Renew one’s own token', body: z.object(increment), answer: { auth } },
  },
  'auth/token/renew': {
    update: { summary: 'Renew a token', body: byToken.extend(increment), answer: { auth } },
  },
  'auth/token/renew-accessor': {
    update: {
      summary: 'Renew a token by its accessor',
      body: byAccessor.extend(increment),
      answer: { auth },
    },
  },
  'auth/token/revoke-self': { update: { summary: 'Revoke one’s own token' } },
  'auth/token/revoke': { update: { summary: 'Revoke a token and all that it made', body: byToken } },
  'auth/token/revoke-accessor': { update: { summary: 'Revoke a token by its accessor', body: byAccessor } },
  'auth/token/revoke-orphan': { update: { summary: 'Revoke a token and keep what it made', body: byToken } },
  'auth/token/accessors': { list: { summary: 'List the accessors of all tokens', answer: keys } },
};

const about = { name: z.string(), version: z.int(), modified: z.string().optional() };
const removed = { summary: 'Delete a policy' };
const bothNames = { data: z.strictObject({ keys: texts, policies: texts }) };
/** Capabilities by path; `capabilities` besides where there is one path. */
const capabilities = { data: z.record(z.string(), texts) };
const atPaths = z.object(all(list, 'paths', 'path')).partial();

export const policySchemas: PathSchemas = {
  'sys/policies/acl': { list: { summary: 'List the policies', answer: keys } },
  'sys/policies/acl/:name+': {
    read: { summary: 'Read a policy', answer: { data: z.strictObject({ ...about, policy: z.string() }) } },
    update: { summary: 'Write a policy', body: z.object(strings('policy')) },
    delete: removed,
  },
  'sys/policy': {
    read: { summary: 'List the policies', answer: bothNames },
    list: { summary: 'List the policies', answer: bothNames },
  },
  'sys/policy/:name+': {
    read: { summary: 'Read a policy', answer: { data: z.strictObject({ ...about, rules: z.string() }) } },
    update: {
      summary: 'Write a policy',
      body: z.object(strings('policy', 'rules')).partial(),
    },
    delete: removed,
  },
  'sys/capabilities-self': {
    update: { summary: 'What one may do at paths', body: atPaths, answer: capabilities },
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
