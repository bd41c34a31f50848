/** Fields that hold a secret: another one lets in the same people, by the same party. */
export const credentials: readonly string[] = [
  'password',
  'password_hash',
  'bindpass',
  'secret',
  'token',
  'api_token',
  'client_secret',
  'secret_key',
];

/** What a resource of the official provider makes that someone signs in with, by its type in Terraform. */
export const credentialsMade: Readonly<Record<string, readonly string[]>> = {
  vault_approle_auth_backend_role_secret_id: ['secret_id', 'wrapping_token'],
  vault_approle_auth_backend_login: ['client_token'],
  vault_token: ['client_token', 'wrapped_token'],
  vault_pki_secret_backend_cert: ['private_key'],
  vault_pki_secret_backend_intermediate_cert_request: ['private_key'],
};

const endpoint = 'vault_generic_endpoint';

/** Types of the official provider that keep what they are given for others to read. The rest only use it. */
const keeping = [
  'vault_kv_secret',
  'vault_kv_secret_v2',
  'vault_generic_secret',
  'vault_config_ui_custom_message',
  'vault_identity_entity',
  'vault_identity_group',
  endpoint,
];

/** Types of other providers that keep nothing but in the state, which has the credential already. */
const ofState = /^(?:null_resource|terraform_data|(?:time|random)_\w+)$/;

export function isOfOfficialProvider(type: string): boolean {
  return /^(?:vault|openbao)_/.test(type);
}

/**
 * Whether a resource of a type keeps what it is given where others may read it. What is written to an auth method is a setting
 * of it.
 *
 * @param path where it writes, if it is known
 */
export function keepsForOthers(type: string, path = ''): boolean {
  if (!isOfOfficialProvider(type)) return !ofState.test(type);
  return keeping.includes(type) && !/(?:^|\/)auth\//.test(path);
}

/** The field of a resource with a credential that another system may have made; undefined where there is none. */
export function credentialGiven(type: string, path = ''): string | undefined {
  if (type === 'vault_approle_auth_backend_role_secret_id') return 'secret_id';
  const isUser = type === endpoint && /^(?:.*\/)?auth\/.+\/users\/[^/]+$/s.test(path);
  return isUser ? 'data_json' : undefined;
}
