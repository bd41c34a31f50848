import type { ReviewedType } from './planned-resource.ts';

/**
 * Types of the official Terraform provider. The one for messages has gone under several names: singular in the
 * provider, plural in tools that are made from the service's API, without `config` in older writing.
 */
const terraformTypes: Record<string, ReviewedType> = {
  vault_jwt_auth_backend: 'method',
  vault_jwt_auth_backend_role: 'role',
  vault_identity_group: 'group',
  vault_identity_group_alias: 'alias',
  vault_policy: 'policy',
  vault_config_ui_custom_message: 'message',
  vault_config_ui_custom_messages: 'message',
  vault_ui_custom_message: 'message',
};

/** Types of the official Pulumi package, without the module's file: `vault:jwt/authBackend:AuthBackend`. */
const pulumiTypes: Record<string, ReviewedType> = {
  'vault:jwt/authBackend:AuthBackend': 'method',
  'vault:jwt/authBackendRole:AuthBackendRole': 'role',
  'vault:identity/group:Group': 'group',
  'vault:identity/groupAlias:GroupAlias': 'alias',
  'vault:index/policy:Policy': 'policy',
  'vault:config/uiCustomMessage:UiCustomMessage': 'message',
};

export function reviewedTerraformType(type: string): ReviewedType | undefined {
  return Object.hasOwn(terraformTypes, type) ? terraformTypes[type] : undefined;
}

export function reviewedPulumiType(type: string): ReviewedType | undefined {
  return Object.hasOwn(pulumiTypes, type) ? pulumiTypes[type] : undefined;
}

/** Fields that hold credentials, by their names on the wire: compared, and never kept. */
export const secretFields: ReadonlySet<string> = new Set(['oidc_client_secret', 'oidc_client_secret_wo']);
