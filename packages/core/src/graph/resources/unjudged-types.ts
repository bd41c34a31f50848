/** Types of the official provider that may bear on access and that no answer has: a plan with one cannot be judged. */
const rows: Record<string, string> = {
  'It copies secrets to another system, where others read them.': `secrets_sync_association
    secrets_sync_aws_destination secrets_sync_azure_destination secrets_sync_config secrets_sync_gcp_destination
    secrets_sync_gh_destination secrets_sync_github_apps secrets_sync_vercel_destination`,
  'It decides which program answers, also for an auth method.': 'plugin plugin_pinned_version plugin_runtime',
  'A sign-in whose token the state keeps: its policies are known once it is made.':
    'approle_auth_backend_login aws_auth_backend_login',
  'It decides which instances and tags a role accepts.': `aws_auth_backend_identity_whitelist
    aws_auth_backend_role_tag aws_auth_backend_roletag_blacklist`,
  'Whom a method trusts, by a type that no table has yet.': `cf_auth_backend_config kerberos_auth_backend_config
    kerberos_auth_backend_ldap_config spiffe_auth_backend_config`,
  'Tokens of an issuer act without a sign-in, within limits that another resource sets.':
    'oauth_resource_server_config_profile agent_registration',
  'Whether policies of groups count across namespaces.': 'config_group_policy_application',
  'How long an approval lasts.': 'config_control_group',
  'It switches on features that are not known by name.': 'activation_flags',
  'Which paths no limit counts.': 'quota_config',
  'Which pages of others may call the service from a browser, or which headers a browser gets.':
    'sys_config_cors config_ui_header',
};

/** Why types are not judged, by their names in Terraform. Any type without a row is not judged either. */
export const unjudgedReasons: ReadonlyMap<string, string> = new Map(
  Object.entries(rows).flatMap(([because, types]) =>
    types.split(/\s+/).map((type): [string, string] => [`vault_${type}`, because]),
  ),
);
