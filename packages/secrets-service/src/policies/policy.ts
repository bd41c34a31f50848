import { formatInstant } from '@gatehouse/core/graph';
import { Collection, type Space } from '../storage/storage.ts';

export type PolicyRecord = {
  name: string;
  text: string;
  version: number;
  /** RFC 3339. Absent for the built-in text of `default`. */
  modified?: string;
};

/** The policies that were written; names are lower case. */
export const policies = new Collection<PolicyRecord>('policy');

export function readPolicy(space: Space, name: string): PolicyRecord | undefined {
  const isDefault = name === 'default';
  return policies.get(space, name) ?? (isDefault ? { name, text: defaultPolicy, version: 1 } : undefined);
}

export function writePolicy(space: Space, now: bigint, name: string, text: string): void {
  const version = (readPolicy(space, name)?.version ?? 0) + 1;
  policies.put(space, name, { name, text, version, modified: formatInstant(now) });
}

/** Names of the policies of a namespace, in order; `root` is the root namespace's only, and comes last. */
export function policyNames(space: Space): string[] {
  const names = [...new Set([...policies.names(space), 'default'])].sort();
  return space.namespace === '' ? [...names, 'root'] : names;
}

/** The initial policy `default` of a namespace: what every token may do for itself. */
const defaultPolicy = `# What every token may do for itself.
path "auth/token/lookup-self" {
    capabilities = ["read"]
}
path "auth/token/renew-self" {
    capabilities = ["update"]
}
path "auth/token/revoke-self" {
    capabilities = ["update"]
}
path "sys/capabilities-self" {
    capabilities = ["update"]
}
path "sys/internal/ui/resultant-acl" {
    capabilities = ["read"]
}

# Who signed in may read their own entity.
path "identity/entity/id/{{identity.entity.id}}" {
    capabilities = ["read"]
}
path "identity/entity/name/{{identity.entity.name}}" {
    capabilities = ["read"]
}

# The messages that the pages show once one is signed in.
path "sys/internal/ui/authenticated-messages" {
    capabilities = ["read"]
}
`;
