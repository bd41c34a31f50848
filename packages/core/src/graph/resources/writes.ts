/**
 * Where the official provider (5.10) writes its types that give no one access, and take none: shapes of paths below
 * `/v1/` over their attributes, and what stands for `~` in each, with the types of it. They are without `vault_`, and `$`
 * is `_secret_backend`. A type has all of its rows; one without a row cannot be judged. `{+name}` is free text with
 * slashes, `{*.name}` the name in a block, and `:id` is drawn by the service.
 */
const rows: Record<string, string> = {
  // A new place holds nothing. To delete one is not judged: what was in it is not in the plan.
  'sys/mounts/{path}': `=mount,aws$,azure$,consul$,database_secrets_mount,gcp$,gcpkms$,kmip$,kubernetes$,ldap$
    =rabbitmq$`,
  'sys/mounts/{backend}': '=ad$,nomad$,terraform_cloud$',
  'sys/namespaces/{path}': '=namespace',
  // Secrets engines: they change what a path returns, not who may ask for it.
  '{path}/config~': `=azure$,gcp$,gcpkms$,kmip$,kubernetes$,ldap$ /root=aws$ /access=consul$ /connection=rabbitmq$
    /lease=aws$,rabbitmq$ /{*.name}=database_secrets_mount`,
  '{backend}/config~': `=ad$,terraform_cloud$ /access=nomad$ /lease=nomad$ /ca=pki$_config_ca,ssh$_ca
    /acme=pki$_config_acme /auto-tidy=pki$_config_auto_tidy /cluster=pki$_config_cluster /cmp=pki$_config_cmpv2
    /crl=pki$_crl_config /est=pki$_config_est /issuers=pki$_config_issuers /scep=pki$_config_scep
    /urls=pki$_config_urls /{name}=database$_connection`,
  '{mount}/config': '=alicloud$,kv$_v2,mongodbatlas$,os$,spiffe$_config',
  '{backend}/~/{name}': `roles=aws$_role,consul$_role,database$_role,kubernetes$_role,pki$_role,rabbitmq$_role
    roles=ssh$_role static-roles=aws$_static_role,database$_static_role role=terraform_cloud_secret_role
    library=ad_secret_library keys=transit$_key issue=pki$_cert sign=pki$_sign`,
  '{backend}/~/{role}': `roles=ad_secret_role,azure$_role static-roles=azure$_static_role role=nomad_secret_role
    creds=terraform_cloud_secret_creds`,
  '{backend}/~': `impersonated-account/{impersonated_account}=gcp_secret_impersonated_account
    roleset/{roleset}=gcp_secret_roleset static-account/{static_account}=gcp_secret_static_account
    cache-config=transit_secret_cache_config keys/{name}/config=transit$_key revoke=pki$_cert
    revoke-with-key=pki$_cert issuer/{issuer_ref}=pki$_issuer issuer/:id=pki$_root_cert
    keys/generate/{type}=pki$_key key/:id=pki$_key root=pki$_root_cert root/generate/{type}=pki$_root_cert
    issuers/generate/root/{type}=pki$_root_cert root/sign-intermediate=pki$_root_sign_intermediate
    issuer/{issuer_ref}/sign-intermediate=pki$_root_sign_intermediate
    intermediate/generate/{type}=pki$_intermediate_cert_request
    issuers/generate/intermediate/{type}=pki$_intermediate_cert_request
    intermediate/set-signed=pki$_intermediate_set_signed eab/:id=pki$_acme_eab`,
  '{mount}/~/{name}': `roles=mongodbatlas_secret_role library=ldap$_library_set role=alicloud$_role
    role=pki_external_ca$_role,spiffe$_role hosts=os$_host hosts/{host}/accounts=os$_account
    config/acme-account=pki_external_ca$_acme_account key=keymgmt_key kms=keymgmt_aws_kms,keymgmt_azure_kms
    kms=keymgmt_gcp_kms`,
  '{mount}/~': `role/{role_name}=ldap$_dynamic_role static-role/{role_name}=ldap$_static_role
    keys/{key_name}=gcpkms$_key keys/{key_name}/config=gcpkms$_key key/{name}/rotate=keymgmt_key_rotate
    kms/{kms_name}/key/{key_name}=keymgmt_distribute_key
    kms/{kms_name}/key/{key_name}/replicate=keymgmt_replicate_key`,
  '{mount}/role/{role_name}/~': `new-order=pki_external_ca$_order order/:id=pki_external_ca$_order
    order/{order_id}/fetch-cert=pki_external_ca$_order_certificate
    order/{order_id}/fulfilled-challenge=pki_external_ca$_order_challenge_fulfilled`,
  '{path}/~/{name}': `alphabet=transform_alphabet role=transform_role template=transform_template
    transformation=transform_transformation tokenization/keys=transform_key_configuration
    listener=kmip_secret_listener ca=kmip_secret_ca_generated,kmip_secret_ca_imported`,
  '{path}/~': `scope/{scope}=kmip_secret_scope scope/{scope}/role/{role}=kmip_secret_role
    ca/{name}/generate=kmip_secret_ca_generated ca/{name}/import=kmip_secret_ca_imported
    tokenization/keys/{name}/config=transform_key_configuration`,
  '{backend}/~acme/new-eab': `=pki$_acme_eab issuer/{issuer}/=pki$_acme_eab roles/{role}/=pki$_acme_eab
    issuer/{issuer}/roles/{role}/=pki$_acme_eab`,
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
      const names = types.replaceAll('$', '_secret_backend').split(',');
      return names.map((name) => ({ type: `vault_${name}`, template: shape.replace('~', part) }));
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
  const sent: string[] = [];
  for (const segment of `v1/${path}`.split('/')) {
    if (segment === '..') sent.pop();
    else if (segment !== '' && segment !== '.') sent.push(segment);
  }
  const [first, ...rest] = sent;
  const isAll = rest.length > 0 || path === '' || path.endsWith('/');
  return first === 'v1' && isAll ? rest.join('/') : undefined;
}

/** Whether a clean path is, or may be, of the service and not of a secrets engine: it may begin with a namespace. */
export function isOfService(path: string): boolean {
  return /(?:^|\/)\s*(?:sys|auth|identity|cubbyhole)\s*\/./s.test(path);
}

/**
 * Where a write leads other than where its type is meant to write: without a path, that is not known. Undefined where
 * it stays there, or is not made.
 *
 * @param textOf an attribute: null where it is not given, undefined where it is not known
 * @param isOfEngine whether a clean path is of a secrets engine that is known
 */
export function strayWrite(
  template: string,
  textOf: (attribute: string) => string | null | undefined,
  isOfEngine: (path: string) => boolean,
): { path?: string } | undefined {
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
