import { normalize } from 'node:path/posix';
import { toSnakeCase } from '../../model/values/wire.ts';
import type { Fields, PlannedType } from './planned-resource.ts';

/**
 * Types of the official Terraform provider, without `vault_`. The one for messages has gone under several names:
 * singular in the provider, plural in tools that are made from the service's API, without `config` in older writing.
 */
const types: Record<string, PlannedType> = {
  jwt_auth_backend: 'method',
  jwt_auth_backend_role: 'role',
  identity_group: 'group',
  identity_group_alias: 'alias',
  policy: 'policy',
  config_ui_custom_message: 'message',
  config_ui_custom_messages: 'message',
  ui_custom_message: 'message',
  identity_group_policies: 'groupPolicies',
  identity_group_member_group_ids: 'groupMembers',
  identity_group_member_entity_ids: 'groupMembers',
  identity_entity: 'entity',
  identity_entity_policies: 'entityPolicies',
  identity_entity_alias: 'entityAlias',
  auth_backend: 'backend',
  github_team: 'way',
  github_user: 'way',
  token: 'token',
  generic_endpoint: 'endpoint',
  generic_secret: 'endpoint',
  mount: 'inert',
  namespace: 'inert',
  audit: 'inert',
  audit_request_header: 'inert',
  password_policy: 'inert',
  kv_secret: 'inert',
  kv_secret_v2: 'inert',
  kv_secret_backend_v2: 'inert',
};

const patterns: [pattern: RegExp, type: PlannedType][] = [
  [/^(\w+)_auth_backend$/, 'backend'],
  [/^(\w+)_auth_backend(_role|_group|_user)$/, 'way'],
  [/^(?:identity_)?mfa_\w+$/, 'guard'],
  [/^quota_(?:rate_limit|lease_count)$/, 'guard'],
  [/^[er]gp_policy$/, 'guard'],
];

/** What a review takes a type of the secrets service for. */
export interface KnownType {
  type: PlannedType;
  /** What it is of, in words. */
  of: string;
}

/** @param name as Terraform has it; undefined for a type that is not known */
export function knownType(name: string): KnownType | undefined {
  if (!name.startsWith('vault_')) return undefined;
  const local = name.slice('vault_'.length);
  const words = local.replaceAll('_', ' ');
  if (Object.hasOwn(types, local)) {
    return { type: types[local] as PlannedType, of: words };
  }
  for (const [pattern, type] of patterns) {
    const match = pattern.exec(local);
    if (match !== null) return { type, of: `${match[1] ?? words}${match[2] ?? ''}`.replaceAll('_', ' ') };
  }
  return undefined;
}

/** Pulumi's modules that are not named as in Terraform; the index module has no name there. */
const modules: Record<string, string> = { index: '', appRole: 'approle_', tokenauth: 'token_' };

/** `vault:jwt/authBackendRole:AuthBackendRole` → `vault_jwt_auth_backend_role`; others stay as they are. */
export function terraformName(pulumiType: string): string {
  const [, module, resource] = /^vault:(\w+)\/(\w+):\w+$/.exec(pulumiType) ?? [];
  if (module === undefined || resource === undefined) return pulumiType;
  return `vault_${modules[module] ?? `${toSnakeCase(module)}_`}${toSnakeCase(resource)}`;
}

/**
 * Whether a resource of a known type can be judged. What was in a mount or namespace that is deleted is not in the
 * plan; a generic secret is of interest only where it is a way to write to the service itself.
 */
export function isUnderstood({ type, of }: KnownType, side: Fields, isDeleted: boolean): boolean {
  const path = side['path'] ?? side['mount'];
  const isServices = typeof path === 'string' && /^\/(?:auth|sys|identity)\//.test(normalize(`/${path}/`));
  // The key-value resources write and delete whatever path they are given.
  if (of.startsWith('kv secret')) return !isServices;
  if (type === 'inert') return !isDeleted || !['mount', 'namespace'].includes(of);
  return of !== 'generic secret' || typeof path !== 'string' || isServices;
}

/** Fields that hold credentials, by their names on the wire: compared, and never kept. */
export const secretFields: ReadonlySet<string> = new Set(['oidc_client_secret', 'oidc_client_secret_wo']);
