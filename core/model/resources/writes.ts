import { normalize } from 'node:path/posix';

/**
 * Where the official provider (5.10) writes its types that give no one access, and take none: shapes of paths below
 * `/v1/` over their attributes, and what stands for `~` in each, with the types of it without `vault_`. A type has all
 * of its rows; one without a row cannot be judged. `{+name}` is free text with slashes, `{*.name}` the name in a block,
 * and `:id` is drawn by the service.
 */
const rows: Record<string, string> = {
  // A new place holds nothing. To delete one is not judged: what was in it is not in the plan.
  'sys/mounts/{path}': `=mount,aws_secret_backend,azure_secret_backend,consul_secret_backend,database_secrets_mount
    =gcp_secret_backend,gcpkms_secret_backend,kmip_secret_backend,kubernetes_secret_backend,ldap_secret_backend
    =rabbitmq_secret_backend`,
  'sys/mounts/{backend}': '=ad_secret_backend,nomad_secret_backend,terraform_cloud_secret_backend',
  'sys/namespaces/{path}': '=namespace',
  // Secrets engines: they change what a path returns, not who may ask for it.
  '{path}/config~': `=azure_secret_backend,gcp_secret_backend,gcpkms_secret_backend,kmip_secret_backend
    =kubernetes_secret_backend,ldap_secret_backend /root=aws_secret_backend /access=consul_secret_backend
    /connection=rabbitmq_secret_backend /lease=aws_secret_backend,rabbitmq_secret_backend
    /{*.name}=database_secrets_mount`,
  '{backend}/config~': `=ad_secret_backend,terraform_cloud_secret_backend /access=nomad_secret_backend
    /lease=nomad_secret_backend /ca=pki_secret_backend_config_ca,ssh_secret_backend_ca
    /acme=pki_secret_backend_config_acme /auto-tidy=pki_secret_backend_config_auto_tidy
    /cluster=pki_secret_backend_config_cluster /cmp=pki_secret_backend_config_cmpv2
    /crl=pki_secret_backend_crl_config /est=pki_secret_backend_config_est
    /issuers=pki_secret_backend_config_issuers /scep=pki_secret_backend_config_scep
    /urls=pki_secret_backend_config_urls /{name}=database_secret_backend_connection`,
  '{mount}/config': `=alicloud_secret_backend,kv_secret_backend_v2,mongodbatlas_secret_backend,os_secret_backend
    =spiffe_secret_backend_config`,
  '{backend}/~/{name}': `roles=aws_secret_backend_role,consul_secret_backend_role,database_secret_backend_role
    roles=kubernetes_secret_backend_role,pki_secret_backend_role,rabbitmq_secret_backend_role,ssh_secret_backend_role
    static-roles=aws_secret_backend_static_role,database_secret_backend_static_role role=terraform_cloud_secret_role
    library=ad_secret_library keys=transit_secret_backend_key issue=pki_secret_backend_cert
    sign=pki_secret_backend_sign`,
  '{backend}/~/{role}': `roles=ad_secret_role,azure_secret_backend_role static-roles=azure_secret_backend_static_role
    role=nomad_secret_role creds=terraform_cloud_secret_creds`,
  '{backend}/~': `impersonated-account/{impersonated_account}=gcp_secret_impersonated_account
    roleset/{roleset}=gcp_secret_roleset static-account/{static_account}=gcp_secret_static_account
    cache-config=transit_secret_cache_config keys/{name}/config=transit_secret_backend_key
    revoke=pki_secret_backend_cert,pki_secret_backend_sign revoke-with-key=pki_secret_backend_cert
    issuer/{issuer_ref}=pki_secret_backend_issuer issuer/:id=pki_secret_backend_root_cert
    keys/generate/{type}=pki_secret_backend_key key/:id=pki_secret_backend_key root=pki_secret_backend_root_cert
    root/generate/{type}=pki_secret_backend_root_cert issuers/generate/root/{type}=pki_secret_backend_root_cert
    root/sign-intermediate=pki_secret_backend_root_sign_intermediate
    issuer/{issuer_ref}/sign-intermediate=pki_secret_backend_root_sign_intermediate
    intermediate/generate/{type}=pki_secret_backend_intermediate_cert_request
    issuers/generate/intermediate/{type}=pki_secret_backend_intermediate_cert_request
    intermediate/set-signed=pki_secret_backend_intermediate_set_signed eab/:id=pki_secret_backend_acme_eab`,
  '{mount}/~/{name}': `roles=mongodbatlas_secret_role library=ldap_secret_backend_library_set
    role=alicloud_secret_backend_role,pki_external_ca_secret_backend_role,spiffe_secret_backend_role
    hosts=os_secret_backend_host hosts/{host}/accounts=os_secret_backend_account
    config/acme-account=pki_external_ca_secret_backend_acme_account
    key=keymgmt_key kms=keymgmt_aws_kms,keymgmt_azure_kms,keymgmt_gcp_kms`,
  '{mount}/~': `role/{role_name}=ldap_secret_backend_dynamic_role static-role/{role_name}=ldap_secret_backend_static_role
    keys/{key_name}=gcpkms_secret_backend_key keys/{key_name}/config=gcpkms_secret_backend_key
    key/{name}/rotate=keymgmt_key_rotate kms/{kms_name}/key/{key_name}=keymgmt_distribute_key
    kms/{kms_name}/key/{key_name}/replicate=keymgmt_replicate_key`,
  '{mount}/role/{role_name}/~': `new-order=pki_external_ca_secret_backend_order
    order/:id=pki_external_ca_secret_backend_order
    order/{order_id}/fetch-cert=pki_external_ca_secret_backend_order_certificate
    order/{order_id}/fulfilled-challenge=pki_external_ca_secret_backend_order_challenge_fulfilled`,
  '{path}/~/{name}': `alphabet=transform_alphabet role=transform_role template=transform_template
    transformation=transform_transformation tokenization/keys=transform_key_configuration listener=kmip_secret_listener
    ca=kmip_secret_ca_generated,kmip_secret_ca_imported`,
  '{path}/~': `scope/{scope}=kmip_secret_scope scope/{scope}/role/{role}=kmip_secret_role
    ca/{name}/generate=kmip_secret_ca_generated ca/{name}/import=kmip_secret_ca_imported
    tokenization/keys/{name}/config=transform_key_configuration`,
  '{backend}/~acme/new-eab': `=pki_secret_backend_acme_eab issuer/{issuer}/=pki_secret_backend_acme_eab
    roles/{role}/=pki_secret_backend_acme_eab issuer/{issuer}/roles/{role}/=pki_secret_backend_acme_eab`,
  // A value, or how one is made.
  '~': '{+path}=kv_secret {mount}/data/{+name}=kv_secret_v2 {mount}/metadata/{+name}=kv_secret_v2',
  // The service's own operation, how passwords are made, and a limit on how often, not on what.
  'sys/~': `audit/{path}=audit audit/{type}=audit config/auditing/request-headers/{name}=audit_request_header
    storage/raft/autopilot/configuration=raft_autopilot managed-keys/:id/{*.name}=managed_keys
    storage/raft/snapshot-auto/config/{name}=raft_snapshot_agent_config quotas/rate-limit/{name}=quota_rate_limit
    policies/password/{name}=password_policy policies/rotation/{name}=rotation_policy
    config/ui/login/default-auth/{name}=config_ui_default_auth`,
  // The service as an identity provider for others: it gives no policy.
  'identity/oidc/~': `config=identity_oidc key/{key_name}=identity_oidc_key_allowed_client_id
    key/{name}=identity_oidc_key role/{name}=identity_oidc_role scope/{name}=identity_oidc_scope
    assignment/{name}=identity_oidc_assignment client/{name}=identity_oidc_client
    provider/{name}=identity_oidc_provider`,
};

const byType = Map.groupBy(
  Object.entries(rows).flatMap(([shape, groups]) =>
    groups.split(/\s+/).flatMap((group) => {
      const [part = '', types = ''] = group.split('=');
      return types.split(',').map((type) => ({ type: `vault_${type}`, template: shape.replace('~', part) }));
    }),
  ),
  ({ type }) => type,
);

/** Types of the official provider that give no one access, and take none, as long as they write where they are meant to. */
export const inertTypes: readonly string[] = [...byType.keys()];

/** Templates of all writes of a type, by its name in Terraform; of all others, a write to any path. */
export function templatesOf(type: string): readonly string[] {
  return byType.get(type)?.map(({ template }) => template) ?? ['{+path}'];
}

/** Whether a type makes a secrets engine, which can move with all that it holds. */
export function makesEngine(type: string): boolean {
  return templatesOf(type).some((template) => template.startsWith('sys/mounts/'));
}

/**
 * A path below `/v1/` as the client sends it: with Go's `path.Join` (`NewRequest` in hashicorp/vault, api/client.go).
 * Undefined where it leaves `/v1/`.
 */
export function cleaned(path: string): string | undefined {
  const sent = normalize(`/v1/${path}`);
  return sent.startsWith('/v1/') ? sent.slice('/v1/'.length).replace(/\/$/, '') : undefined;
}

/** Whether a clean path is, or may be, of the service and not of a secrets engine: it may begin with a namespace. */
export function isOfService(path: string): boolean {
  return /(?:^|\/)\s*(?:sys|auth|identity|cubbyhole)\s*\/./s.test(path);
}

/** What is known of the attributes that a template is filled in with. */
export interface Known {
  /** Null for what is not given, undefined for what is not known. */
  textOf(attribute: string): string | null | undefined;
  /** Whether a clean path is of a secrets engine that is known. */
  isOfEngine(path: string): boolean;
}

/**
 * Where a write leads other than where its type is meant to write: without a path, that is not known. Undefined where
 * it stays there, or is not made.
 */
export function strayWrite(template: string, { textOf, isOfEngine }: Known): { path?: string } | undefined {
  const [fixed = '', ...placeholders] = template.split('{');
  const values = placeholders.map((one) => textOf(one.replace(/^\+|\}.*$/gs, '')));
  // A mount's path has a default that the plan does not tell.
  const isMade = values.every((value, at) => value !== null || (fixed === '' && at === 0));
  if (placeholders.length === 0 || !isMade) return undefined;
  if (!values.every((value) => typeof value === 'string')) return {};
  const texts = [fixed, ...placeholders.map((one, at) => `${values[at]}${one.replace(/^.*\}/s, '')}`)];
  const path = cleaned(texts.join(''));
  if (path === undefined) return {};
  // `sys/mounts/auth/x` is an auth method.
  if (fixed !== '')
    return path.startsWith(fixed) && !path.startsWith('sys/mounts/auth/') ? undefined : { path };
  // A text that is free follows the engine's own part of the path.
  const own = `${cleaned(texts.slice(0, -1).join(''))}/`;
  const isFree = placeholders.length > 1 && placeholders.at(-1)?.startsWith('+') && !isOfService(`${own}x`);
  return (isFree && path.startsWith(own)) || isOfEngine(path) || !isOfService(path) ? undefined : { path };
}
