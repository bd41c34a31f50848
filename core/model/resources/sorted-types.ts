/** Types of the vault package by their names in Terraform, and why they are sorted so. */
interface Sorted {
  terraform: readonly (string | RegExp)[];
  because: string;
}

/** Types that give no one access, and take none. */
export const inertTypes: readonly Sorted[] = [
  {
    terraform: [
      /^vault_((?:ad|alicloud|aws|azure|consul|database|gcp|kmip|kubernetes|ldap|mongodbatlas|nomad|rabbitmq|ssh|terraform_?cloud|transit)_secret_?\w*)$/,
      /^vault_((?:pki|transform)_\w+)$/,
      // The names of two in Pulumi.
      ...[
        'vault_azure_backend',
        'vault_azure_backend_role',
        'vault_database_secrets_mount',
        'vault_managed_keys',
      ],
    ],
    because: 'A secrets engine: it changes what a path returns, not who may ask for it.',
  },
  {
    terraform: [
      'vault_kv_secret',
      'vault_kv_secret_v2',
      'vault_kv_secret_backend_v2',
      'vault_password_policy',
    ],
    because: 'A value, or how one is made: it changes what a path returns.',
  },
  {
    terraform: ['vault_mount', 'vault_namespace'],
    because: 'A new place holds nothing. To delete one is not judged: what was in it is not in the plan.',
  },
  {
    terraform: ['vault_audit', 'vault_audit_request_header', /^vault_(raft_\w+)$/],
    because: 'The service’s own operation.',
  },
  {
    terraform: ['vault_quota_rate_limit'],
    because: 'A limit on how often, not on what.',
  },
  {
    terraform: [/^vault_(identity_oidc\w*)$/],
    because: 'The service as an identity provider for others: it gives no policy.',
  },
];

/** Types that may bear on access and are not judged: a plan that changes one has something unknown. */
export const unjudgedTypes: readonly Sorted[] = [
  {
    terraform: [/^vault_(secrets_sync_\w+)$/],
    because: 'It copies secrets to another system, where others read them.',
  },
  {
    terraform: ['vault_plugin', 'vault_plugin_pinned_version'],
    because: 'It decides which program answers, also for an auth method.',
  },
  {
    terraform: [/^vault_(approle|aws)_auth_backend_login$/],
    because: 'A sign-in whose token the state keeps: its policies are known once it is made.',
  },
  {
    terraform: [/^vault_aws_auth_backend_(?:identity_whitelist|roletag_blacklist|role_tag)$/],
    because: 'It decides which instances and tags a role accepts.',
  },
];
