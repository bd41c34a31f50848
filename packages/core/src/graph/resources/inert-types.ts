import { officialTypes } from './unmodeled.ts';

/**
 * Types of the official provider that give no one access and take none, and why: `$` stands for `_secret_backend`. Each
 * type of `writes.ts` is here, or in `unmodeled.ts`, once.
 */
const reasons: Record<string, string> = {
  'A new place holds nothing. To delete or move one is not judged as this.': `mount consul$ database_secrets_mount
    gcpkms$ kmip$ nomad$ rabbitmq$ terraform_cloud$`,
  'A namespace holds nothing when it is made; who reaches into it is looked at by itself.': 'namespace',
  'It changes what a path returns, not who may ask for it; no auth method asks the system that it is for.': `
    consul$_role database$_connection database$_role database$_static_role mongodbatlas$ mongodbatlas_secret_role
    nomad_secret_role os$ os$_account os$_host rabbitmq$_role terraform_cloud_secret_creds
    terraform_cloud_secret_role`,
  'Hosts trust its certificates; no auth method trusts a CA of SSH.': 'ssh$_ca ssh$_role',
  'Names in certificates for KMIP are drawn by the service.': `kmip_secret_ca_generated kmip_secret_ca_imported
    kmip_secret_listener kmip_secret_role kmip_secret_scope`,
  'A request or a key by itself: nothing is signed with it until an issuer or a method names it.': `
    pki$_intermediate_cert_request pki$_key keymgmt_key`,
  'It names where a certificate’s issuer is found, or when ended ones are forgotten.': `pki$_config_auto_tidy
    pki$_config_cluster pki$_config_urls`,
  'Steps of an order: the certificate has a type of its own.': `pki_external_ca$_acme_account
    pki_external_ca$_order_challenge_fulfilled`,
  'It encrypts or encodes values: no one signs in by it.': `gcpkms$_key transform_alphabet transform_key_configuration
    transform_role transform_template transform_transformation transit_secret_cache_config`,
  'Where a key may go, and a newer version of it: a method trusts a key once it names it.': `keymgmt_aws_kms
    keymgmt_azure_kms keymgmt_gcp_kms keymgmt_key_rotate managed_keys`,
  'A value, and how many versions are kept: a credential in it is looked at by itself.':
    'kv_secret kv$_v2 kv_secret_v2',
  'The service’s own operation: what is logged, kept and shown.': `audit audit_request_header config_ui_default_auth
    raft_autopilot raft_snapshot_agent_config`,
  'How passwords are made and when they change, not whose they are.': 'password_policy rotation_policy',
  'A limit on how often, not on what.': 'quota_rate_limit',
};

/** Why types are taken for inert, by their names in Terraform. */
export const inertReasons: ReadonlyMap<string, string> = new Map(
  Object.entries(reasons).flatMap(([because, types]) =>
    officialTypes(types.trim()).map((type): [string, string] => [type, because]),
  ),
);

/** The table for documentation: a line of Markdown a row. */
export function inertTable(): string[] {
  const named = (types: string) =>
    officialTypes(types.trim())
      .map((type) => `\`${type}\``)
      .join(', ');
  return [
    '|Gives no access|Because|',
    '|---|---|',
    ...Object.entries(reasons).map(([because, types]) => `|${named(types)}|${because}|`),
  ];
}
