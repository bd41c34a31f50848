import { z } from 'zod';
import { configFields } from '../../../core/model/resources/auth-method.ts';
import { roleFields } from '../../../core/model/resources/role.ts';
import {
  all,
  answerFields,
  bodyFields,
  duration,
  flag,
  instant,
  keys,
  list,
  op,
  type PathSchemas,
  pairs,
  strings,
  texts,
  textsByName,
} from './operation-schema.ts';

/** Returned for a sign-in, a new token and a renewal. */
const auth = z.strictObject({
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
const lookUpSelf = op('Look up the caller’s token', { data: token });

const configRead = z.strictObject({
  ...answerFields(configFields),
  ...strings('oidc_response_mode', 'status'),
});
const roleRead = z.strictObject(answerFields(roleFields, (name) => !name.startsWith('token_')));

export const authSchemas: PathSchemas = {
  'update auth/token/create': op('Create a token', { body: newToken, auth }),
  'update auth/token/create-orphan': op('Create a token without a parent', { body: newToken, auth }),
  'update auth/token/create/:role': op('Always refused: there are no token roles', { body: newToken, auth }),
  'read auth/token/lookup-self': lookUpSelf,
  'update auth/token/lookup-self': lookUpSelf,
  'read auth/token/lookup': op('Look up a token', { query: ['token'], data: token }),
  'update auth/token/lookup': op('Look up a token', { body: byToken.partial(), data: token }),
  'update auth/token/lookup-accessor': op('Look up a token by its accessor', {
    body: byAccessor,
    data: token,
  }),
  'update auth/token/renew-self': op('Renew the caller’s token', { body: z.object(increment), auth }),
  'update auth/token/renew': op('Renew a token', { body: byToken.extend(increment), auth }),
  'update auth/token/renew-accessor': op('Renew the token of an accessor', {
    body: byAccessor.extend(increment),
    auth,
  }),
  'update auth/token/revoke-self': op('Revoke the caller’s token'),
  'update auth/token/revoke': op('Revoke a token and its children', { body: byToken }),
  'update auth/token/revoke-accessor': op('Revoke a token by its accessor', { body: byAccessor }),
  'update auth/token/revoke-orphan': op('Revoke a token and keep its children', { body: byToken }),
  'list auth/token/accessors': op('List the accessors of all tokens', keys),
  'read auth/{mount}/config': op('Read the configuration of an auth method', { data: configRead }),
  'update auth/{mount}/config': op('Configure an auth method; omitted fields are reset', {
    body: z.object(bodyFields(configFields)),
  }),
  'list auth/{mount}/role': op('List the roles of an auth method', keys),
  'read auth/{mount}/role/:name': op('Read a role', { data: roleRead }),
  'update auth/{mount}/role/:name': op('Write a role; omitted fields are kept', {
    body: z.object(bodyFields(roleFields)),
  }),
  'delete auth/{mount}/role/:name': op('Delete a role'),
  'update auth/{mount}/login': op('Sign in with a JWT', {
    body: z.object({ jwt: z.string(), role: z.string().optional() }),
    auth,
  }),
  'update auth/{mount}/oidc/auth_url': op('Begin an OIDC login; refused if auth_url is empty', {
    body: z.object({ redirect_uri: z.string(), ...all(z.string().optional(), 'role', 'client_nonce') }),
    data: z.strictObject(strings('auth_url')),
  }),
  'read auth/{mount}/oidc/callback': op('End an OIDC login', {
    query: ['state', 'code', 'client_nonce', 'iss', 'error'],
    auth,
  }),
  'update auth/{mount}/oidc/callback': op(
    'Store a provider’s form_post response until the client fetches it',
    {
      body: z.object({ state: z.string(), ...all(z.string().optional(), 'code', 'id_token') }),
      data: z.strictObject(strings('state', 'code')),
    },
  ),
};
