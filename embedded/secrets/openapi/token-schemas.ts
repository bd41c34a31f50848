import { z } from 'zod';
import {
  duration,
  flag,
  instant,
  keys,
  list,
  type PathSchemas,
  pairs,
  texts,
  textsByName,
} from './operation-schema.ts';

/** What a sign-in, a new token and a renewal answer. */
export const auth = z.strictObject({
  client_token: z.string(),
  accessor: z.string(),
  policies: texts,
  token_policies: texts.optional(),
  identity_policies: texts.optional(),
  metadata: textsByName.nullable(),
  lease_duration: z.int(),
  renewable: z.boolean(),
  entity_id: z.string(),
  token_type: z.enum(['service', 'batch']),
  orphan: z.boolean(),
  mfa_requirement: z.null(),
  num_uses: z.int(),
});

const token = z.strictObject({
  accessor: z.string(),
  creation_time: z.int(),
  creation_ttl: z.int(),
  display_name: z.string(),
  entity_id: z.string(),
  expire_time: instant.nullable(),
  explicit_max_ttl: z.int(),
  id: z.string(),
  issue_time: instant,
  last_renewal: instant.optional(),
  last_renewal_time: z.int().optional(),
  meta: textsByName.nullable(),
  num_uses: z.int(),
  orphan: z.boolean(),
  path: z.string(),
  period: z.int().optional(),
  bound_cidrs: texts.optional(),
  namespace_path: z.string().optional(),
  policies: texts,
  identity_policies: texts.optional(),
  external_namespace_policies: z.record(z.string(), texts).optional(),
  renewable: z.boolean(),
  ttl: z.int(),
  type: z.enum(['service', 'batch']),
});

const newToken = z.object({
  id: z.string().optional(),
  policies: list.optional(),
  meta: pairs.optional(),
  no_parent: flag.optional(),
  no_default_policy: flag.optional(),
  renewable: flag.optional(),
  ttl: duration.optional(),
  explicit_max_ttl: duration.optional(),
  period: duration.optional(),
  display_name: z.string().optional(),
  num_uses: z.int().optional(),
  bound_cidrs: list.optional(),
  type: z.enum(['service', 'batch', '']).optional(),
});
const byToken = z.object({ token: z.string() });
const byAccessor = z.object({ accessor: z.string() });
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
const atPaths = z.object({ paths: list.optional(), path: list.optional() });

export const policySchemas: PathSchemas = {
  'sys/policies/acl': { list: { summary: 'List the policies', answer: keys } },
  'sys/policies/acl/:name+': {
    read: { summary: 'Read a policy', answer: { data: z.strictObject({ ...about, policy: z.string() }) } },
    update: { summary: 'Write a policy', body: z.object({ policy: z.string() }) },
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
      body: z.object({ policy: z.string().optional(), rules: z.string().optional() }),
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
