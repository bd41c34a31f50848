import type { BoundValue, LoginRole } from '../../../core/login/login-role.ts';
import { type Mount, mountDataKey } from '../mounts/mount.ts';
import type { Fields } from '../protocol/fields.ts';
import type { Json, Storage } from '../storage/storage.ts';

/** A role as it is kept (interface.md B2; further fields facts/jwt-oidc.md). Times are seconds; null: never set. */
export type Role = {
  role_type: 'oidc' | 'jwt';
  user_claim: string;
  user_claim_json_pointer: boolean;
  bound_audiences: string[] | null;
  bound_subject: string;
  bound_claims: Fields | null;
  bound_claims_type: 'string' | 'glob';
  claim_mappings: Record<string, string> | null;
  groups_claim: string;
  oidc_scopes: string[] | null;
  allowed_redirect_uris: string[] | null;
  max_age: number;
  verbose_oidc_logging: boolean;
  clock_skew_leeway: number;
  expiration_leeway: number;
  not_before_leeway: number;
  token_policies: string[];
  token_ttl: number;
  token_max_ttl: number;
  token_explicit_max_ttl: number;
  token_period: number;
  token_num_uses: number;
  token_no_default_policy: boolean;
  token_bound_cidrs: string[];
  token_type: string;
  /** Token fields that were written by their older names and are read by both. */
  older: string[];
};

/** The older names of token fields: `policies` for `token_policies`, and so on. */
export const olderNames = ['policies', 'ttl', 'max_ttl', 'period', 'num_uses', 'bound_cidrs'] as const;

const roleKey = (namespace: string, mount: Mount, name: string) =>
  mountDataKey(namespace, mount, 'role', name);

export function getRole(storage: Storage, namespace: string, mount: Mount, name: string): Role | undefined {
  return storage.get(roleKey(namespace, mount, name)) as Role | undefined;
}

export function putRole(storage: Storage, namespace: string, mount: Mount, name: string, role: Role): void {
  storage.put(roleKey(namespace, mount, name), role as unknown as Json);
}

export function deleteRole(storage: Storage, namespace: string, mount: Mount, name: string): void {
  storage.delete(roleKey(namespace, mount, name));
}

/** Names of the roles of a mount, in order. */
export function roleNames(storage: Storage, namespace: string, mount: Mount): string[] {
  const prefix = roleKey(namespace, mount, '');
  return storage.list(prefix).map(([key]) => decodeURIComponent(key.slice(prefix.length)));
}

/** What a read answers. */
export function roleData({ older, ...role }: Role): Record<string, unknown> {
  const again = older.map((name) => [name, role[`token_${name}` as keyof typeof role]]);
  return { ...role, ...Object.fromEntries(again) };
}

/** What a sign-in reads of a role. */
export function loginRole(name: string, role: Role): LoginRole {
  return {
    name,
    roleType: role.role_type,
    userClaim: role.user_claim,
    userClaimJsonPointer: role.user_claim_json_pointer,
    boundAudiences: role.bound_audiences ?? [],
    boundSubject: role.bound_subject,
    boundClaims: (role.bound_claims ?? {}) as Record<string, BoundValue | BoundValue[]>,
    boundClaimsType: role.bound_claims_type,
    claimMappings: role.claim_mappings ?? {},
    groupsClaim: role.groups_claim,
    tokenBoundCidrs: role.token_bound_cidrs,
    clockSkewLeeway: role.clock_skew_leeway,
    expirationLeeway: role.expiration_leeway,
    notBeforeLeeway: role.not_before_leeway,
  };
}
