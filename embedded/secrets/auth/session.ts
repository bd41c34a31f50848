import { isDeepStrictEqual } from 'node:util';
import type { SignedIn } from '../../../core/login/identify.ts';
import { entities } from '../identity/entity.ts';
import { joinGroups, signInEntity } from '../identity/sign-in-entity.ts';
import { findMount, type Mount, mountOf, systemTtl } from '../mounts/mount.ts';
import type { Reply, RequestContext } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Storage } from '../storage/storage.ts';
import { createToken } from '../tokens/create-token.ts';
import type { Token } from '../tokens/token.ts';
import { getRole, type Role } from './role.ts';

/** What was judged: a mount, a role of it, and who that let in. */
export interface Judged {
  mount: Mount;
  roleName: string;
  role: Role;
  signedIn: SignedIn;
}

/**
 * Gives who signed in a token: makes or finds their entity, takes the token fields of the role and, where it says
 * nothing, those of the mount.
 *
 * @throws Refusal where the role or its mount is another one by now: issuers and directories take their time
 */
export function openSession(context: RequestContext, { mount, roleName, role, signedIn }: Judged): Reply {
  const { storage, now, request } = context;
  const { name, metadata, groups } = signedIn;
  const { namespace } = request;
  return storage.transaction(() => {
    const isSameMount = mountOf(context).uuid === mount.uuid;
    if (!isSameMount || !isDeepStrictEqual(getRole(storage, namespace, mount, roleName), role)) {
      throw new Refusal(400, 'the role was changed during the sign-in');
    }
    const entity = signInEntity(storage, now, {
      namespace,
      mountAccessor: mount.accessor,
      mountPath: mount.path,
      mountType: mount.type,
      name,
      metadata,
      groups,
    });
    const { auth, warnings: capped } = createToken(storage, now, {
      namespace,
      policies: role.token_policies,
      path: request.path,
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
    const warnings = capped.length === 0 ? undefined : capped;
    const { policies } = entity;
    if (policies.length === 0) return { auth, warnings };
    const own = auth['policies'] as string[];
    return {
      warnings,
      auth: { ...auth, policies: [...new Set([...own, ...policies])].sort(), identity_policies: policies },
    };
  });
}

/** As real servers write where someone signed in: the namespace stands before the word `auth` then. */
function displayPath(namespace: string, path: string): string {
  return (namespace === '' ? path : `${namespace}/auth/${path}`).replaceAll('/', '-');
}

/** A mount that makes one type of token only has the last word; its default gives way to the role. */
function tokenType({ config }: Mount, role: Role): 'service' | 'batch' {
  const isFixed = !config.token_type.startsWith('default-');
  const type = isFixed || role.token_type === 'default' ? config.token_type : role.token_type;
  return type.endsWith('batch') ? 'batch' : 'service';
}

/**
 * What holds for a renewal of a token that a sign-in gave: the role as it is now says how long tokens live, and the
 * entity becomes a member of the external groups of its sign-in anew (vault-plugin-auth-jwt path_login.go,
 * pathLoginRenew). The policies of the token stay as they were. Undefined for a token from elsewhere.
 *
 * @throws Refusal 400 when the role is gone; real servers answer 500 with the same text
 */
export function renewedSession(
  storage: Storage,
  { path, namespace, metadata, entityId, groups = [] }: Token,
): { ttl: number; maxTtl: number; period: number; groups: string[] } | undefined {
  if (!path.startsWith('auth/') || path.startsWith('auth/token/')) return undefined;
  const mount = findMount(storage, namespace, path.slice('auth/'.length))?.mount;
  const name = metadata['role'] ?? '';
  const role = mount === undefined ? undefined : getRole(storage, namespace, mount, name);
  if (mount === undefined || role === undefined) {
    const why = `failed to renew entry: role ${name} does not exist during renewal`;
    throw new Refusal(400, `1 error occurred:\n\t* ${why}\n\n`);
  }
  const entity = entityId === undefined ? undefined : entities.read(storage, namespace, entityId);
  const given = { namespace, mountAccessor: mount.accessor, groups };
  return {
    ...lifetimeOf(mount, role),
    groups: entity === undefined ? [] : joinGroups(storage, entity, given),
  };
}

/** How long tokens live that a role gives now, in seconds: what it leaves open its mount says. No period: 0. */
function lifetimeOf({ config }: Mount, role: Role): { ttl: number; maxTtl: number; period: number } {
  const longest = config.max_lease_ttl || systemTtl;
  const maxTtl = Math.min(role.token_max_ttl || longest, longest);
  // What a role says beyond the bounds is cut short where tokens are made, with a warning; the mount's default without.
  const ttl = role.token_ttl || Math.min(config.default_lease_ttl || systemTtl, maxTtl);
  return { ttl, maxTtl, period: role.token_period };
}
