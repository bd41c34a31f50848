import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { certificate } from '../../../../../test/harness/certificate.ts';
import { root } from '../../../../../test/harness/environment-under-test.ts';
import { entry, same, terraform } from '../../../../core/test/review/plan/terraform.ts';
import type { Side } from './on-service.ts';
import { pem } from './sign-ins.ts';

/** What the service has: type and values. */
type There = [type: string, side: Side][];

export interface Everyday {
  truth: string;
  expects: { gains: string; losses?: string; unseen?: string };
  there?: There;
  plan: ([does: string, address: string, side: Side, detail?: any] | object)[];
  /** The rest of the plan, and what fields come from by address. */
  rest?: object;
  led?: Record<string, Record<string, string>>;
}

/** What every role has. */
const token =
  'alias_metadata token_bound_cidrs token_explicit_max_ttl token_max_ttl token_no_default_policy token_num_uses token_period token_policies token_ttl token_type namespace';
/** Fields that the provider (5.x) has of a type: null where they are not given; after the colon, said by the service. */
const fields: Record<string, string> = {
  vault_kubernetes_auth_backend_role: `audience bound_service_account_namespace_selector ${token}: id alias_name_source`,
  vault_approle_auth_backend_role: `secret_id_bound_cidrs secret_id_num_uses secret_id_ttl ${token}: id role_id`,
  vault_approle_auth_backend_role_secret_id:
    'cidr_list namespace num_uses ttl with_wrapped_accessor wrapping_ttl: id accessor metadata secret_id wrapping_accessor wrapping_token',
  vault_jwt_auth_backend_role: `allowed_redirect_uris bound_audiences bound_claims bound_subject claim_mappings clock_skew_leeway disable_bound_claims_parsing expiration_leeway groups_claim max_age not_before_leeway oidc_scopes user_claim_json_pointer verbose_oidc_logging ${token}: id`,
  vault_jwt_auth_backend:
    'bound_issuer default_role description disable_remount jwks_ca_pem jwks_pairs jwks_url jwt_supported_algs local namespace oidc_client_id oidc_client_secret oidc_client_secret_wo oidc_client_secret_wo_version oidc_discovery_ca_pem oidc_discovery_url oidc_response_mode oidc_response_types provider_config: id accessor tune',
  vault_auth_backend: 'description disable_remount identity_token_key local namespace: id accessor tune',
  vault_token_auth_backend_role: `allowed_entity_aliases allowed_policies_glob disallowed_policies disallowed_policies_glob path_suffix ${token}: id`,
  vault_cert_auth_backend_role: `allowed_organizational_units ocsp_ca_certificates ocsp_servers_override ${token}: id allowed_common_names allowed_dns_sans allowed_email_sans allowed_names allowed_uri_sans display_name ocsp_enabled ocsp_fail_open ocsp_query_all_servers required_extensions`,
  vault_aws_auth_backend_role: `bound_account_ids bound_ami_ids bound_ec2_instance_ids bound_iam_instance_profile_arns bound_iam_role_arns bound_regions bound_subnet_ids bound_vpc_ids inferred_aws_region inferred_entity_type role_tag ${token}: id role_id`,
  vault_ldap_auth_backend_group: 'namespace: id',
  vault_github_team: 'namespace: id',
  vault_identity_group:
    'external_member_entity_ids external_member_group_ids external_policies member_entity_ids member_group_ids metadata namespace policies: id',
  vault_identity_group_alias: 'namespace: id',
  vault_identity_entity: 'external_policies metadata namespace policies: id',
  vault_identity_entity_alias: 'custom_metadata namespace: id',
  vault_identity_group_policies: 'namespace: id group_name',
  vault_identity_entity_policies: 'namespace: id entity_name',
  vault_identity_group_member_entity_ids: 'namespace: id group_name',
  vault_generic_endpoint: 'namespace write_fields: id write_data write_data_json',
  vault_kubernetes_auth_backend_config:
    'issuer namespace pem_keys token_reviewer_jwt_wo token_reviewer_jwt_wo_version: id disable_iss_validation disable_local_ca_jwt use_annotations_as_alias_metadata',
  vault_database_secret_backend_role:
    'max_ttl namespace renew_statements revocation_statements rollback_statements credential_config: id credential_type',
  vault_transit_secret_backend_key:
    'allow_plaintext_backup auto_rotate_period convergent_encryption derived exportable key_size namespace: id keys latest_version min_available_version supports_decryption supports_derivation supports_encryption supports_signing',
  vault_mount:
    'allowed_managed_keys delegated_auth_accessors description external_entropy_access identity_token_key listing_visibility local namespace passthrough_request_headers plugin_version: id accessor audit_non_hmac_request_keys audit_non_hmac_response_keys default_lease_ttl_seconds force_no_cache max_lease_ttl_seconds seal_wrap',
};

const file = readFileSync(`${root}/packages/cli/test/review/everyday/plans.yaml`, 'utf8');
const quoted = (text: string) => JSON.stringify(text).slice(1, -1);

/** With the text of policies: `{ path: capabilities }`. */
const withTexts = (_: string, value: any): unknown =>
  typeof value?.policy === 'object' ? { ...value, policy: textOfRules(value.policy) } : value;

function textOfRules(rules: Record<string, string>): string {
  const rule = ([path, words]: [string, string]) =>
    `path "${path}" { capabilities = ${JSON.stringify(words.split(' '))} }`;
  return Object.entries(rules).map(rule).join('\n');
}

interface Plans {
  town: There;
  shared: Record<string, There>;
  plans: Record<string, Everyday>;
}

export const { town, shared, plans }: Plans = JSON.parse(
  JSON.stringify(parse(file), withTexts)
    .replaceAll('$PEM', () => quoted(pem))
    .replaceAll('$CA', () => quoted(certificate?.cert ?? '')),
);

const typeOf = (address: string) => address.split('.').at(-2) ?? '';
function fieldsOf(address: string): [none: string[], drawn: string[]] {
  const [none = [], drawn = ['id']] =
    fields[typeOf(address)]?.split(':').map((one) => one.trim().split(' ')) ?? [];
  return [none, drawn];
}

/** An entry of `resource_changes`, with all fields of the provider. */
function entryOf(planned: Everyday['plan'][number]): any {
  if (!Array.isArray(planned)) return planned;
  const [does, address, given, detail] = planned;
  const [none, drawn] = fieldsOf(address);
  const side = (values: Side) => ({ ...Object.fromEntries(none.map((field) => [field, null])), ...values });
  if (does === 'keep') return entry(address, same(side(given)));
  if (does === 'change') return entry(address, { before: side(given), after: side({ ...given, ...detail }) });
  if (does === 'destroy') return entry(address, { before: side(given) });
  if (does === 'entry')
    return entry(address, {
      ...given,
      ...(given['before'] && { before: side(given['before']) }),
      ...(given['after'] && { after: side(given['after']) }),
    });
  const unknown = [...drawn.filter((field) => !(field in given)), ...(detail ?? [])];
  return entry(address, {
    after: side(given),
    after_unknown: Object.fromEntries(unknown.map((field) => [field, true])),
  });
}

/** The text of a plan. Its `configuration` has the fields that are given. */
export function textOf({ plan, rest, led = {} }: Everyday): string {
  const changes = plan.map(entryOf);
  const resources = changes.map(({ address, type, change }) => {
    const given = Object.entries(change.after ?? {}).filter(([, value]) => value !== null);
    const constants = given.map(([field, value]) => [field, { constant_value: value }]);
    const references = Object.entries(led[address] ?? {}).map(([field, to]) => [
      field,
      { references: [to, to.split('.').slice(0, 2).join('.')] },
    ]);
    return { address, mode: 'managed', type, expressions: Object.fromEntries([...constants, ...references]) };
  });
  return terraform(changes, { ...rest, configuration: { root_module: { resources } } });
}
