import { entry, terraform } from '../../../review/plan/terraform.ts';
import type { DrawnWrite } from './draw.ts';
import type { Body } from './world.ts';

/** A resource of the official provider that makes the same write, where one obviously does. */
interface Typed {
  type: string;
  /** What its place is called in it: parts of the path, in order, or a text of its own. */
  place: Record<string, string | number>;
  /** Fields that it has, as the server calls them. Defaults to all that the server has. */
  fields: RegExp;
}

/** Fields that a resource cannot be without. */
const required: Record<string, string[]> = {
  vault_jwt_auth_backend_role: ['user_claim'],
  vault_cert_auth_backend_role: ['certificate'],
  vault_kubernetes_auth_backend_role: ['bound_service_account_names', 'bound_service_account_namespaces'],
  vault_kubernetes_auth_backend_config: ['kubernetes_host'],
  vault_identity_entity_alias: ['name', 'mount_accessor', 'canonical_id'],
  vault_identity_group_alias: ['name', 'mount_accessor', 'canonical_id'],
  vault_identity_oidc_role: ['key'],
  vault_identity_mfa_login_enforcement: ['mfa_method_ids'],
  vault_policy: ['policy'],
  vault_password_policy: ['policy'],
  vault_mount: ['type'],
  vault_auth_backend: ['type'],
  vault_pki_secret_backend_config_acme: ['enabled'],
  vault_pki_secret_backend_config_issuers: ['default'],
  vault_pki_secret_backend_cert: ['common_name'],
  vault_ssh_secret_backend_role: ['key_type'],
};

const ofTokens =
  'token_(?:policies|ttl|max_ttl|explicit_max_ttl|num_uses|period|type|bound_cidrs|no_default_policy)';
const role = (type: string, fields: string, nameAt = 3, noun = 'role_name'): Typed => ({
  type,
  place: { backend: 1, [noun]: nameAt },
  fields: new RegExp(`^(?:${fields}|${ofTokens})$`),
});
const only = (fields: string) => new RegExp(`^(?:${fields})$`);
const jwtRole = role(
  'vault_jwt_auth_backend_role',
  'role_type|user_claim|bound_audiences|bound_claims|bound_subject|claim_mappings|groups_claim|expiration_leeway|not_before_leeway|clock_skew_leeway',
);
const jwtMethod: Typed = {
  type: 'vault_jwt_auth_backend',
  place: { path: 1, type: 'jwt' },
  fields: only(
    'jwks_url|jwt_validation_pubkeys|bound_issuer|default_role|jwt_supported_algs|oidc_discovery_url',
  ),
};
const named = (type: string, fields: string, at = 3): Typed => ({
  type,
  place: { name: at },
  fields: only(fields),
});
const engine = (type: string, fields: RegExp): Typed => ({ type, place: { backend: 0, name: 2 }, fields });
const identity = (type: string, fields: string): Typed => ({ type, place: {}, fields: only(fields) });
const entity = identity('vault_identity_entity', 'id|name|metadata|policies|disabled');
const group = identity(
  'vault_identity_group',
  'id|name|type|metadata|policies|member_entity_ids|member_group_ids',
);

const secretId: Typed = {
  type: 'vault_approle_auth_backend_role_secret_id',
  place: { backend: 1, role_name: 3 },
  fields: only('secret_id|metadata|cidr_list|ttl|num_uses'),
};
const token: Typed = {
  type: 'vault_token',
  place: {},
  fields: only(
    'policies|no_parent|no_default_policy|renewable|ttl|explicit_max_ttl|period|num_uses|display_name',
  ),
};
const atPath = (type: string, fields: string): Typed => ({ type, place: { path: 2 }, fields: only(fields) });
const ofPki = (type: string, fields: string): Typed => ({
  type: `vault_pki_secret_backend_${type}`,
  place: { backend: 0 },
  fields: only(fields),
});

const typed: Record<string, Typed> = {
  'auth/approle/role/{role_name}': role(
    'vault_approle_auth_backend_role',
    'role_id|bind_secret_id|secret_id_bound_cidrs|secret_id_num_uses|secret_id_ttl',
  ),
  'auth/jwt/role/{name}': jwtRole,
  'auth/self/role/{name}': jwtRole,
  'auth/jwt/config': jwtMethod,
  'auth/self/config': jwtMethod,
  'auth/approle/role/{role_name}/custom-secret-id': secretId,
  'auth/approle/role/{role_name}/secret-id': secretId,
  'auth/token/create/{role_name}': { ...token, place: { role_name: 3 } },
  'auth/token/create': token,
  'auth/token/roles/{role_name}': {
    ...role(
      'vault_token_auth_backend_role',
      '(?:dis)?allowed_policies(?:_glob)?|allowed_entity_aliases|orphan|renewable|path_suffix',
    ),
    place: { role_name: 3 },
  },
  'auth/cert/certs/{name}': role(
    'vault_cert_auth_backend_role',
    'certificate|allowed_(?:names|common_names|dns_sans|email_sans|uri_sans|organizational_units)|required_extensions|display_name',
    3,
    'name',
  ),
  'auth/kubernetes/role/{name}': role(
    'vault_kubernetes_auth_backend_role',
    'bound_service_account_names|bound_service_account_namespaces|audience|alias_name_source',
  ),
  'auth/kubernetes/config': {
    type: 'vault_kubernetes_auth_backend_config',
    place: { backend: 1 },
    fields: only(
      'kubernetes_host|kubernetes_ca_cert|token_reviewer_jwt|issuer|disable_iss_validation|disable_local_ca_jwt|pem_keys',
    ),
  },
  'identity/entity': entity,
  'identity/entity/name/{name}': { ...entity, place: { name: 3 } },
  'identity/entity/id/{id}': { ...entity, place: { id: 3 } },
  'identity/group': group,
  'identity/group/name/{name}': { ...group, place: { name: 3 } },
  'identity/group/id/{id}': { ...group, place: { id: 3 } },
  'identity/entity-alias': identity(
    'vault_identity_entity_alias',
    'name|mount_accessor|canonical_id|custom_metadata',
  ),
  'identity/group-alias': identity('vault_identity_group_alias', 'name|mount_accessor|canonical_id'),
  'identity/oidc/client/{name}': named(
    'vault_identity_oidc_client',
    'key|redirect_uris|assignments|id_token_ttl|access_token_ttl|client_type',
  ),
  'identity/oidc/scope/{name}': named('vault_identity_oidc_scope', 'template|description'),
  'identity/oidc/assignment/{name}': named('vault_identity_oidc_assignment', 'entity_ids|group_ids'),
  'identity/oidc/provider/{name}': named(
    'vault_identity_oidc_provider',
    'allowed_client_ids|scopes_supported',
  ),
  'identity/oidc/config': identity('vault_identity_oidc', 'issuer'),
  'identity/oidc/role/{name}': named('vault_identity_oidc_role', 'key|template|client_id|ttl'),
  'identity/oidc/key/{name}': named(
    'vault_identity_oidc_key',
    'algorithm|rotation_period|verification_ttl|allowed_client_ids',
  ),
  'identity/mfa/login-enforcement/{name}': named(
    'vault_identity_mfa_login_enforcement',
    'mfa_method_ids|auth_method_accessors|auth_method_types|identity_group_ids|identity_entity_ids',
  ),
  'sys/policies/acl/{name}': named('vault_policy', 'policy'),
  'sys/policies/password/{name}': named('vault_password_policy', 'policy'),
  'sys/namespaces/{path}': atPath('vault_namespace', 'custom_metadata'),
  'sys/mounts/{path}': atPath('vault_mount', 'type|description|options'),
  'sys/auth/{path}': atPath('vault_auth_backend', 'type|description|local'),
  // Engines of these worlds are called by their types.
  'sys/mounts/{path}/tune': {
    type: 'vault_mount',
    place: { path: 2, type: 2 },
    fields: only('allowed_response_headers|listing_visibility|description'),
  },
  'pki/config/cluster': ofPki('config_cluster', 'path|aia_path'),
  'pki/config/urls': ofPki(
    'config_urls',
    'issuing_certificates|crl_distribution_points|ocsp_servers|enable_templating',
  ),
  'pki/config/issuers': ofPki('config_issuers', 'default|default_follows_latest_issuer'),
  'pki/issue/{role}': engine(
    'vault_pki_secret_backend_cert',
    /^(?:common_name|alt_names|ip_sans|uri_sans|ttl|format|exclude_cn_from_sans)$/,
  ),
  'pki/roles/{name}': engine(
    'vault_pki_secret_backend_role',
    /^(?:allow_(?!globs)\w+|allowed_(?!ip)\w+|client_flag|server_flag|enforce_hostnames|key_type|key_usage|ext_key_usage|ttl|max_ttl|no_store|issuer_ref|require_cn|use_csr_common_name|use_csr_sans)$/,
  ),
  'pki/config/acme': {
    type: 'vault_pki_secret_backend_config_acme',
    place: { backend: 0 },
    fields: only(
      'enabled|allowed_issuers|allowed_roles|allow_role_ext_key_usage|default_directory_policy|dns_resolver|eab_policy',
    ),
  },
  'ssh/roles/{role}': engine(
    'vault_ssh_secret_backend_role',
    /^(?:key_type|allow_\w+|allowed_(?!user_key_lengths)\w+|default_(?!critical|extensions)\w+|ttl|max_ttl)$/,
  ),
};

/**
 * A plan of one resource that makes this write, as Terraform shows it.
 *
 * @param isTyped whether it is of a type for it where there is one; else it writes to the path
 * @param resolve what stands for ids, as a plan has them
 */
export function planOf(write: DrawnWrite, isTyped: boolean, resolve: <Value>(value: Value) => Value): string {
  const { type, sideOf } =
    (isTyped && (valueOfKv(write) ?? attachmentOf(write) ?? typedFor(write))) || endpointFor(write);
  const side = (body: Body) => resolve({ ...sideOf(body), ...inNamespace(write) });
  const marks = /_endpoint$|_kv_secret/.test(type) ? { data_json: true } : {};
  // An attachment is made: what the group had is no resource of its own.
  const before = /_(?:policies|ids)$/.test(type) ? undefined : write.before && side(write.before);
  // What is there without a resource of this plan is written over by one that it creates.
  const isUpdate =
    before !== undefined &&
    (write.isDeletion || Object.keys(write.before ?? {}).every((name) => name in write.body));
  return terraform([
    entry(`${type}.w`, {
      ...((write.isDeletion || isUpdate) && { before: before ?? side({}) }),
      ...(!write.isDeletion && { after: side(write.body) }),
      after_unknown: {},
      before_sensitive: marks,
      after_sensitive: marks,
    }),
  ]);
}

function inNamespace({ namespace }: DrawnWrite): Body {
  return namespace === undefined ? {} : { namespace };
}

interface Planned {
  type: string;
  sideOf: (body: Body) => Body;
}

/** One list of a group or an entity, which a resource of its own sets. */
function attachmentOf({ template, path, body }: DrawnWrite): Planned | undefined {
  const [, kind = ''] = /^identity\/(group|entity)\/id\//.exec(template) ?? [];
  const [list = '', ...others] = Object.keys(body);
  if (kind === '' || others.length > 0 || !/^(?:policies|member_\w+_ids)$/.test(list)) return undefined;
  const id = path.split('/').at(-1);
  const sideOf = (fields: Body) => ({ [`${kind}_id`]: id, [list]: fields[list], exclusive: true });
  return { type: `vault_identity_${kind}_${list}`, sideOf };
}

function typedFor({ isDeletion, template, path, body, before = {} }: DrawnWrite): Planned | undefined {
  const known = typed[template];
  const names = Object.keys({ ...before, ...body });
  if (known === undefined || !names.every((name) => known.fields.test(name))) return undefined;
  if (!isDeletion && required[known.type]?.some((name) => !(name in { ...known.place, ...body })))
    return undefined;
  // The provider sends the name, too.
  if (template.startsWith('identity/') && template.endsWith('/id/{id}') && !('name' in body))
    return undefined;
  const parts = path.split('/');
  const place = Object.fromEntries(
    Object.entries(known.place).map(([name, at]) => [name, typeof at === 'number' ? parts[at] : at]),
  );
  return { type: known.type, sideOf: (fields) => ({ ...fields, ...place }) };
}

/** A value of an engine of either version. */
function valueOfKv({ path }: DrawnWrite): Planned | undefined {
  const [, name = ''] = /^(?:kv|secret\/data)\/(.+)/.exec(path) ?? [];
  if (name === '') return undefined;
  if (path.startsWith('kv/'))
    return { type: 'vault_kv_secret', sideOf: (body) => ({ path, data_json: JSON.stringify(body) }) };
  const sideOf = ({ data }: Body) => ({ mount: 'secret', name, data_json: JSON.stringify(data) });
  return { type: 'vault_kv_secret_v2', sideOf };
}

function endpointFor({ path }: DrawnWrite): Planned {
  const rest = { disable_read: true, disable_delete: false, ignore_absent_fields: false, write_fields: null };
  const type = 'vault_generic_endpoint';
  return { type, sideOf: (body) => ({ path, data_json: JSON.stringify(body), ...rest }) };
}
