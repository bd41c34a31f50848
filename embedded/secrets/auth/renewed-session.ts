import { readEntity } from '../identity/entity.ts';
import { joinGroups } from '../identity/sign-in-entity.ts';
import { findMount } from '../mounts/mount.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Storage } from '../storage/storage.ts';
import type { Token } from '../tokens/token.ts';
import { getRole } from './role.ts';
import { lifetimeOf } from './token-lifetime.ts';

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
  const entity = entityId === undefined ? undefined : readEntity(storage, namespace, entityId);
  const given = { namespace, mountAccessor: mount.accessor, groups };
  return {
    ...lifetimeOf(mount, role),
    groups: entity === undefined ? [] : joinGroups(storage, entity, given),
  };
}
