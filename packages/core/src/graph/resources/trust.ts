import { configFields } from './auth-method.ts';
import { type Field, type Fields, type Trust, wireNameIn } from './field.ts';
import { listsOf } from './other-methods.ts';

type Marks = Partial<Record<Trust, string>>;

/** Kerberos takes groups from a directory, too. */
const directory: Marks = {
  another: `url certificate userdn groupdn userfilter groupfilter userattr groupattr upndomain discoverdn use_token_groups
    dereference_aliases`,
  'asked if true': 'starttls',
  'asked unless false': 'deny_null_bind',
  'given if true': 'insecure_tls enable_samaccountname_login',
  'TLS version': 'tls_min_version tls_max_version',
};

/**
 * Whom a method trusts, by the type of its mount: the fields of its configuration and of its roles, by their names on the wire, and
 * how a change of each is read. After the API documents of Vault and OpenBao. `configFields` has those of JWT and OIDC methods.
 */
const marks: Readonly<Record<string, Marks>> = {
  kubernetes: {
    another: 'kubernetes_host kubernetes_ca_cert disable_local_ca_jwt',
    'any of': 'pem_keys',
    'if set': 'issuer',
    'given unless false': 'disable_iss_validation',
  },
  ldap: directory,
  okta: { another: 'org_name organization base_url production', 'given if true': 'bypass_okta_mfa' },
  github: { another: 'organization organization_id base_url' },
  radius: { another: 'host port' },
  kerberos: { ...directory, another: `${directory.another} keytab service_account` },
  cert: {
    another: 'certificate ocsp_ca_certificates ocsp_servers_override crl url',
    'asked if true': 'ocsp_enabled ocsp_query_all_servers',
    'given if true': 'ocsp_fail_open disable_binding',
    limit: 'ocsp_this_update_max_age',
  },
  aws: {
    another: 'sts_endpoint iam_endpoint ec2_endpoint',
    each: 'aws_public_cert',
    'one of': 'allowed_sts_header_values',
    'if set': 'iam_server_id_header_value',
    'asked if true': 'disallow_reauthentication',
    'asked unless false': 'resolve_aws_unique_ids',
    'given if true': 'allow_instance_migration use_sts_region_from_client',
  },
  azure: { another: 'tenant_id resource environment' },
  gcp: { another: 'custom_endpoint' },
  oci: { another: 'home_tenancy_id' },
  saml: {
    another: 'idp_metadata_url idp_sso_url idp_entity_id idp_cert entity_id',
    'any of': 'acs_urls',
    'asked if true': 'validate_assertion_signature validate_response_signature',
  },
  cf: { another: 'cf_api_addr', 'any of': 'identity_ca_certificates cf_api_trusted_certificates' },
  spiffe: {
    another: `trust_domain profile bundle endpoint_url endpoint_spiffe_id endpoint_root_ca_truststore_pem`,
  },
  approle: { 'asked unless false': 'bind_secret_id' },
  mfa: { another: 'api_hostname base_url org_name settings_file_base64 username_format' },
};

/** What another field decides; `metadata` and `nothing` decide no sign-in. */
export const bearings = {
  name: 'It says what it is, or where.',
  asking: 'It says who asks, and not who is asked.',
  access: 'Who of the trusted party gets in, and with what: judged as access.',
  identity: 'It says which entity a sign-in is known as.',
  metadata: 'It says what a sign-in is noted with: only a template of a policy can read it.',
  lifetime: 'It says how long, or how often.',
  nothing: 'It decides no sign-in.',
} as const;
type Bearing = keyof typeof bearings;

/** Fields of methods, roles and second factors that decide no sign-in, by the reason. */
const inert: Readonly<Record<string, string>> = {
  'How often and how long it asks another system, or remembers the answer; the answer decides.': `connection_timeout
    request_timeout dial_timeout read_timeout max_page_size max_retries retry_delay max_retry_delay ocsp_max_retries
    ocsp_cache_size role_cache_size defer_bundle_fetch`,
  'When the credential is drawn anew that it asks with.': `rotation_period rotation_schedule rotation_window
    disable_automated_rotation identity_token_ttl`,
  'Anyone may name the role.': 'default_role',
  'Which servers of a cluster keep a secret id.': 'local_secret_ids',
  'How the provider’s answer travels; it is checked in the same way.':
    'oidc_response_mode oidc_response_types namespace_in_state',
  'What a person sees.': 'push_info qr_size',
  'What is logged. Credentials that a log has in clear are looked at by themselves.':
    'verbose_logging enable_metadata_on_failures',
};

/** What fields without a mark decide, by their names on the wire in every type. */
const unmarked: Readonly<Record<Bearing, string>> = {
  name: `path backend mount name role role_name groupname group_name username user team type account_id cert_name namespace
    mount_accessor local description disable_remount issuer`,
  asking: `binddn bindpass client_tls_cert client_tls_key anonymous_group_search token api_token client_id client_email
    private_key_id project_id credentials service_account_email client_secret access_key secret_key role_arn external_id sts_role
    sts_region secret_id secret integration_key nas_port nas_identifier cf_username cf_password cf_client_id cf_client_secret
    cf_api_mutual_tls_certificate cf_api_mutual_tls_key token_reviewer_jwt identity_token_audience identity_token_key
    oidc_client_secret`,
  access: `token_policies policies allowed_policies allowed_policies_glob disallowed_policies disallowed_policies_glob group user
    groups users audience auth_type arn ocid_list allowed_names allowed_common_names allowed_dns_sans allowed_email_sans allowed_uri_sans
    allowed_organizational_units required_extensions bound_service_account_names bound_service_account_namespaces
    bound_service_account_namespace_selector bound_account_ids bound_ami_ids bound_ec2_instance_ids
    bound_iam_instance_profile_arns bound_iam_principal_arns bound_iam_role_arns bound_regions bound_subnet_ids bound_vpc_ids
    inferred_aws_region inferred_entity_type role_tag bound_group_ids bound_locations bound_resource_groups bound_scale_sets
    bound_service_principal_ids bound_subscription_ids bound_instance_groups bound_labels bound_projects bound_service_accounts
    bound_zones bound_application_ids bound_instance_ids bound_organization_ids bound_space_ids disable_ip_matching
    workload_id_patterns allow_gce_inference add_group_aliases bound_attributes bound_attributes_type bound_subjects bound_subjects_type
    groups_attribute challenge allowed_entity_aliases orphan path_suffix no_parent no_default_policy
    token_no_default_policy token_bound_cidrs secret_id_bound_cidrs cidr_list unregistered_user_policies oidc_client_id
    jwt_supported_algs provider_config mfa_method_ids auth_method_accessors auth_method_types identity_entity_ids
    identity_group_ids enforcement_level paths policy max_leases inheritable use_passcode primary_email`,
  identity: `alias_name_source username_as_alias case_sensitive_names iam_alias ec2_alias gce_alias role_id display_name
    remove_instance_name enable_identity_alias_metadata`,
  metadata: `alias_metadata use_annotations_as_alias_metadata iam_metadata ec2_metadata gce_metadata metadata`,
  lifetime: `tune token_ttl token_max_ttl token_explicit_max_ttl token_period token_num_uses token_type ttl max_ttl
    explicit_max_ttl period num_uses renewable renew_increment renew_min_lease wrapping_ttl with_wrapped_accessor secret_id_ttl
    secret_id_num_uses max_jwt_exp login_max_seconds_not_before login_max_seconds_not_after algorithm digits
    key_size skew max_validation_attempts`,
  nothing: Object.values(inert).join(' '),
};

const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');

const marksByType: ReadonlyMap<string, ReadonlyMap<string, Trust>> = new Map([
  ...Object.entries(marks).map(([type, rows]) => [type, byField(rows)] as const),
  ...['jwt', 'oidc'].map((type) => [type, ofConfig()] as const),
]);
const marksOfAny = new Map([...marksByType.values()].flatMap((fields) => [...fields]));
const bearingByField = byField(unmarked);

function byField<Word extends string>(rows: Partial<Record<Word, string>>): Map<string, Word> {
  const entries = Object.entries(rows) as [Word, string][];
  return new Map(entries.flatMap(([word, fields]) => words(fields).map((field) => [field, word] as const)));
}

/** The fields of a JWT or OIDC method. */
function ofConfig(): Map<string, Trust> {
  const rows: [string, Field][] = Object.entries(configFields);
  return new Map(
    rows.flatMap(([name, { trusts }]) =>
      trusts === undefined ? [] : [[wireNameIn(configFields, name), trusts] as const],
    ),
  );
}

/**
 * How a change of a field decides whom a method trusts; undefined where it does not.
 *
 * @param type of the method; of one that is not known, any type may be meant
 * @param field its name on the wire
 */
export function trustOf(type: string, field: string): Trust | undefined {
  const known = marksByType.get(type) ?? (listsOf(type) === undefined ? marksOfAny : undefined);
  return known?.get(field);
}

/** What a field without a mark decides, also where it is only written (`_wo`); undefined for a field that is not known. */
export function bearingOfField(field: string): keyof typeof bearings | undefined {
  return bearingByField.get(field.replace(/_wo(?:_version)?$/, ''));
}

/** The marks of all fields: each has one, whatever the type. */
export const trustByField: ReadonlyMap<string, Trust> = marksOfAny;

/** Types that trust someone without any configuration: the cloud itself. */
export const trustsByDefault: ReadonlySet<string> = new Set(['aws', 'gcp']);

/** The table for documentation: a line of Markdown a type. */
export function trustTable(): string[] {
  const named = (fields: ReadonlyMap<string, Trust>) =>
    [...fields.keys()].sort().map((field) => `\`${field}\``);
  return [
    '|Method|Whom it trusts, and what it asks of them|',
    '|---|---|',
    ...[...marksByType].map(([type, fields]) => `|${type}|${named(fields).join(', ')}|`),
  ];
}

/** Fields that decide nothing, and why, for documentation: a line of Markdown a reason. @param judged tables of judged kinds */
export function inertFieldsTable(judged: Readonly<Record<string, Fields>>): string[] {
  const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
  const ofKinds = Object.entries(judged).flatMap(([kind, table]) =>
    Object.entries(table).flatMap(([name, { inert: because }]) =>
      because === undefined ? [] : [{ kind, because, name: wireNameIn(table, name) }],
    ),
  );
  const rows = [...Map.groupBy(ofKinds, ({ kind, because }) => JSON.stringify([kind, because])).values()].map(
    (all) => [all[0]?.kind, named(all.map(({ name }) => name)), all[0]?.because],
  );
  return [
    '|Of a|Decide nothing|Because|',
    '|---|---|---|',
    ...rows.map((cells) => `|${cells.join('|')}|`),
    ...Object.entries(inert).map(([because, fields]) => `|other method|${named(words(fields))}|${because}|`),
  ];
}
