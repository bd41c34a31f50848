import { isDeepStrictEqual } from 'node:util';
import type { SignedIn } from '@gatehouse/core/login';
import { z } from 'zod';
import { entities } from '../identity/entity.ts';
import { joinGroups, signInEntity } from '../identity/sign-in-entity.ts';
import { findMount, type Mount, mountOf, systemTtl } from '../mounts/mount.ts';
import type { Reply, RequestContext } from '../protocol/path.ts';
import { oneError, RequestRefusal } from '../protocol/refusal.ts';
import { all, strings, texts, textsByName } from '../protocol/schemas.ts';
import type { Storage } from '../storage/storage.ts';
import { createToken } from '../tokens/create-token.ts';
import type { StoredToken } from '../tokens/token.ts';
import { rolesOf, type StoredRole } from './role.ts';

/** What a sign-in, a new token and a renewal answer. */
export const authSchema = z.strictObject({
  ...strings('client_token', 'accessor', 'entity_id'),
  ...all(z.boolean(), 'renewable', 'orphan'),
  ...all(z.int(), 'lease_duration', 'num_uses'),
  policies: texts,
  ...all(texts.optional(), 'token_policies', 'identity_policies'),
  metadata: textsByName.nullable(),
  token_type: z.enum(['service', 'batch']),
  mfa_requirement: z.null(),
});

interface AcceptedSignIn {
  mount: Mount;
  roleName: string;
  role: StoredRole;
  signedIn: SignedIn;
}

/**
 * Creates the token of a sign-in, from the fields of its role and mount, and finds or creates the entity.
 *
 * @throws {RequestRefusal} if the role or its mount changed while an issuer or directory was asked
 */
export function openSession(
  context: RequestContext,
  { mount, roleName, role, signedIn }: AcceptedSignIn,
): Reply {
  const { storage, now, namespace, path } = context;
  const { name, metadata, groups } = signedIn;
  return storage.transaction(() => {
    const isSameMount = mountOf(context).uuid === mount.uuid;
    if (!isSameMount || !isDeepStrictEqual(rolesOf(mount).get(context, roleName), role)) {
      throw new RequestRefusal(400, 'the role was changed during the sign-in');
    }
    const entity = signInEntity(context, now, { mountAccessor: mount.accessor, name, metadata, groups });
    const { auth, warnings } = createToken(storage, now, {
      namespace,
      policies: role.token_policies,
      path,
      displayName: `${displayPath(namespace, mount.path)}-${name}`,
      metadata,
      entityId: entity.entityId,
      groups: entity.groups,
      type: tokenType(mount, role),
      ...lifetimeOf(mount, role),
      explicitMaxTtl: role.token_explicit_max_ttl,
      numUses: role.token_num_uses,
      boundCidrs: role.token_bound_cidrs,
      noDefaultPolicy: role.token_no_default_policy,
    });
    return { warnings, auth: withIdentityPolicies(auth, entity.policies) };
  });
}

function withIdentityPolicies(auth: Record<string, unknown>, identity: string[]): Record<string, unknown> {
  if (identity.length === 0) return auth;
  const policies = [...new Set([...(auth['policies'] as string[]), ...identity])].sort();
  return { ...auth, policies, identity_policies: identity };
}

/** As real servers write it, with `auth` only in a namespace. */
function displayPath(namespace: string, path: string): string {
  return (namespace === '' ? path : `${namespace}/auth/${path}`).replaceAll('/', '-');
}

/** A mount's fixed type overrides the role's; its default does not. */
function tokenType({ config }: Mount, role: StoredRole): 'service' | 'batch' {
  const isFixed = !config.token_type.startsWith('default-');
  const type = isFixed || role.token_type === 'default' ? config.token_type : role.token_type;
  return type.endsWith('batch') ? 'batch' : 'service';
}

/**
 * Applies the current role's lifetimes to the renewal of a sign-in's token, and renews the entity's membership in the
 * sign-in's external groups (vault-plugin-auth-jwt path_login.go, pathLoginRenew). Undefined for other tokens.
 *
 * @throws {RequestRefusal} 400 if the role is gone; real servers answer 500 with the same text
 */
export function renewedSession(
  storage: Storage,
  { path, namespace, metadata, entityId, groups = [] }: StoredToken,
): { ttl: number; maxTtl: number; period: number; groups: string[] } | undefined {
  if (!path.startsWith('auth/') || path.startsWith('auth/token/')) return undefined;
  const space = { storage, namespace };
  const mount = findMount(space, path.slice('auth/'.length))?.mount;
  const name = metadata['role'] ?? '';
  const role = mount && rolesOf(mount).get(space, name);
  if (mount === undefined || role === undefined) {
    throw new RequestRefusal(
      400,
      oneError(`failed to renew entry: role ${name} does not exist during renewal`),
    );
  }
  const entity = entityId === undefined ? undefined : entities.get(space, entityId);
  return {
    ...lifetimeOf(mount, role),
    groups: entity === undefined ? [] : joinGroups(space, entity, mount.accessor, groups),
  };
}

/** Lifetimes of a role's tokens, in seconds; the mount's where the role has none. No period: 0. */
function lifetimeOf({ config }: Mount, role: StoredRole): { ttl: number; maxTtl: number; period: number } {
  const longest = config.max_lease_ttl || systemTtl;
  const maxTtl = Math.min(role.token_max_ttl || longest, longest);
  // The mount's default is capped silently here, the role's later with a warning.
  const ttl = role.token_ttl || Math.min(config.default_lease_ttl || systemTtl, maxTtl);
  return { ttl, maxTtl, period: role.token_period };
}
