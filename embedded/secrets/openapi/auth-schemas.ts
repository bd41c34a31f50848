import { z } from 'zod';
import {
  duration,
  flag,
  keys,
  list,
  type PathSchemas,
  pairs,
  texts,
  textsByName,
} from './operation-schema.ts';
import { auth } from './token-schemas.ts';

const seconds = z.int();
const jwksPairs = z.array(z.object({ jwks_url: z.string(), jwks_ca_pem: z.string().optional() }));

/** interface.md B1, and the further fields of facts/jwt-oidc.md. */
const config = z.object({
  oidc_discovery_url: z.string().optional(),
  oidc_discovery_ca_pem: z.string().optional(),
  oidc_client_id: z.string().optional(),
  oidc_client_secret: z.string().optional(),
  oidc_response_mode: z.enum(['', 'query', 'form_post']).optional(),
  oidc_response_types: list.optional(),
  jwks_url: z.string().optional(),
  jwks_ca_pem: z.string().optional(),
  jwks_pairs: jwksPairs.optional(),
  jwt_validation_pubkeys: list.optional(),
  jwt_supported_algs: list.optional(),
  bound_issuer: z.string().optional(),
  default_role: z.string().optional(),
  provider_config: z.record(z.string(), z.unknown()).optional(),
  namespace_in_state: flag.optional(),
});

/** No client secret, and no key file of a directory. */
const configRead = z.strictObject({
  oidc_discovery_url: z.string(),
  oidc_discovery_ca_pem: z.string(),
  oidc_client_id: z.string(),
  oidc_response_mode: z.string(),
  oidc_response_types: texts,
  jwks_url: z.string(),
  jwks_ca_pem: z.string(),
  jwks_pairs: jwksPairs,
  jwt_validation_pubkeys: texts,
  jwt_supported_algs: texts,
  bound_issuer: z.string(),
  default_role: z.string(),
  provider_config: z.record(z.string(), z.unknown()),
  namespace_in_state: z.boolean(),
  status: z.string(),
});

const boundClaims = z.record(z.string(), z.unknown());

/** interface.md B2, and the further fields of facts/jwt-oidc.md; the last six are older names. */
const role = z.object({
  role_type: z.enum(['', 'oidc', 'jwt']).optional(),
  user_claim: z.string().optional(),
  user_claim_json_pointer: flag.optional(),
  bound_audiences: list.optional(),
  bound_subject: z.string().optional(),
  bound_claims: boundClaims.optional(),
  bound_claims_type: z.enum(['string', 'glob']).optional(),
  claim_mappings: pairs.optional(),
  groups_claim: z.string().optional(),
  oidc_scopes: list.optional(),
  allowed_redirect_uris: list.optional(),
  max_age: duration.optional(),
  verbose_oidc_logging: flag.optional(),
  clock_skew_leeway: duration.optional(),
  expiration_leeway: duration.optional(),
  not_before_leeway: duration.optional(),
  token_policies: list.optional(),
  token_ttl: duration.optional(),
  token_max_ttl: duration.optional(),
  token_explicit_max_ttl: duration.optional(),
  token_period: duration.optional(),
  token_num_uses: z.union([z.int(), z.string()]).optional(),
  token_no_default_policy: flag.optional(),
  token_bound_cidrs: list.optional(),
  token_type: z.string().optional(),
  policies: list.optional(),
  ttl: duration.optional(),
  max_ttl: duration.optional(),
  period: duration.optional(),
  num_uses: z.union([z.int(), z.string()]).optional(),
  bound_cidrs: list.optional(),
});

const roleRead = z.strictObject({
  role_type: z.enum(['oidc', 'jwt']),
  user_claim: z.string(),
  user_claim_json_pointer: z.boolean(),
  bound_audiences: texts.nullable(),
  bound_subject: z.string(),
  bound_claims: boundClaims.nullable(),
  bound_claims_type: z.enum(['string', 'glob']),
  claim_mappings: textsByName.nullable(),
  groups_claim: z.string(),
  oidc_scopes: texts.nullable(),
  allowed_redirect_uris: texts.nullable(),
  max_age: seconds,
  verbose_oidc_logging: z.boolean(),
  clock_skew_leeway: seconds,
  expiration_leeway: seconds,
  not_before_leeway: seconds,
  token_policies: texts,
  token_ttl: seconds,
  token_max_ttl: seconds,
  token_explicit_max_ttl: seconds,
  token_period: seconds,
  token_num_uses: z.int(),
  token_no_default_policy: z.boolean(),
  token_bound_cidrs: texts,
  token_type: z.string(),
  policies: texts.optional(),
  ttl: seconds.optional(),
  max_ttl: seconds.optional(),
  period: seconds.optional(),
  num_uses: z.int().optional(),
  bound_cidrs: texts.optional(),
});

export const authSchemas: PathSchemas = {
  'auth/{mount}/config': {
    read: { summary: 'Read the configuration of an auth method', answer: { data: configRead } },
    update: { summary: 'Configure an auth method: what is left out is reset', body: config },
  },
  'auth/{mount}/role': { list: { summary: 'List the roles of an auth method', answer: keys } },
  'auth/{mount}/role/:name': {
    read: { summary: 'Read a role', answer: { data: roleRead } },
    update: { summary: 'Write a role: what is left out is kept', body: role },
    delete: { summary: 'Delete a role' },
  },
  'auth/{mount}/login': {
    update: {
      summary: 'Sign in with a JWT',
      body: z.object({ jwt: z.string(), role: z.string().optional() }),
      answer: { auth },
    },
  },
  'auth/{mount}/oidc/auth_url': {
    update: {
      summary: 'Begin an OIDC login; an empty auth_url says that it may not begin so',
      body: z.object({
        redirect_uri: z.string(),
        role: z.string().optional(),
        client_nonce: z.string().optional(),
      }),
      answer: { data: z.strictObject({ auth_url: z.string() }) },
    },
  },
  'auth/{mount}/oidc/callback': {
    read: {
      summary: 'End an OIDC login',
      query: ['state', 'code', 'client_nonce', 'iss', 'error'],
      answer: { auth },
    },
    update: {
      summary: 'What a provider posts (form_post), for the client to come for',
      body: z.object({ state: z.string(), code: z.string().optional(), id_token: z.string().optional() }),
      answer: { data: z.strictObject({ state: z.string(), code: z.string() }) },
    },
  },
};
