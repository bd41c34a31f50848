import { isDeepStrictEqual } from 'node:util';
import type { SignedIn } from '../../../core/login/sign-in.ts';
import { signInEntity } from '../identity/sign-in-entity.ts';
import type { Mount } from '../mounts/mount.ts';
import { mountOf } from '../mounts/mount-of.ts';
import type { Reply, RequestContext } from '../protocol/path.ts';
import { Refusal } from '../protocol/refusal.ts';
import { createToken } from '../tokens/create-token.ts';
import { getRole, type Role } from './role.ts';
import { tidyPolicies } from './role-fields.ts';
import { lifetimeOf } from './token-lifetime.ts';

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
      policies: tidyPolicies(role.token_policies),
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
