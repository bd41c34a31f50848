import { textOf, textsOf, trimmed } from '@gatehouse/core/graph';
import { type PolicyName, policyKey } from '@gatehouse/core/values';
import type { ServiceClient } from './service-client.ts';

/** What the service says of a token: whose it is, and where. */
export interface OwnToken {
  /** Path of the namespace it was made in; empty for the root namespace. */
  namespace: string;
  /** Undefined for a token without one, such as a root token. */
  entity: string | undefined;
  /** Such as `staff-alice`. Another person may have the same. */
  name: string | undefined;
  /** The policies of the token and of its entity. */
  policies: PolicyName[];
  /** The role that it was signed in with. */
  role: { method: string; name: string } | undefined;
}

/**
 * Looks up the client's token (`auth/token/lookup-self`). The service answers for a token of any namespace, whatever the
 * namespace of the client: all that is read has to be taken for what it is in the token's own.
 *
 * @throws GatehouseError `permission_denied` if it is not valid, and others if the service cannot be asked
 */
export async function readOwnToken(client: Pick<ServiceClient, 'read'>): Promise<OwnToken> {
  const data = (await client.read('auth/token/lookup-self'))?.data ?? {};
  const namespace = namespaceOf(textOf(data['namespace_path']) ?? '');
  // An identity gives no root: services have let it be written there.
  const ofIdentity = textsOf(data['identity_policies']).filter((name) => policyKey(name) !== 'root');
  const role = (data['meta'] as { role?: unknown } | null | undefined)?.role;
  const [, method] = /^auth\/(.+?)\/(?:oidc\/callback|login)$/.exec(textOf(data['path']) ?? '') ?? [];
  return {
    namespace,
    entity: textOf(data['entity_id']) || undefined,
    name: textOf(data['display_name']) || undefined,
    policies: [...textsOf(data['policies']), ...ofIdentity].map((name) => ({ namespace, name })),
    role: typeof role === 'string' && method ? { method, name: role } : undefined,
  };
}

/** A namespace as it is compared. Services take `root` for the root namespace, which they do not name. */
export function namespaceOf(path: string): string {
  const name = trimmed(path);
  return name === 'root' ? '' : name;
}
