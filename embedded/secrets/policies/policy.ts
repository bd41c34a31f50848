import { formatInstant } from '../../../core/model/values/instant.ts';
import { key, partsOf, type Storage } from '../storage/storage.ts';

/** A policy as it is kept. */
export type PolicyRecord = {
  name: string;
  /** As it was written. */
  text: string;
  /** How often it was written. */
  version: number;
  /** RFC 3339; absent where no one wrote it. */
  modified?: string;
};

const policyKey = (namespace: string, name: string) => key(namespace, 'policy', name);

/** A policy of a namespace; names are lower case. */
export function readPolicy(storage: Storage, namespace: string, name: string): PolicyRecord | undefined {
  const kept = storage.get(policyKey(namespace, name));
  if (kept !== undefined) return kept as PolicyRecord;
  return name === 'default' ? { name, text: defaultPolicy, version: 1 } : undefined;
}

export function writePolicy(
  storage: Storage,
  now: bigint,
  { namespace, name, text }: { namespace: string; name: string; text: string },
): void {
  storage.transaction(() => {
    const version = (readPolicy(storage, namespace, name)?.version ?? 0) + 1;
    storage.put(policyKey(namespace, name), { name, text, version, modified: formatInstant(now) });
  });
}

export function deletePolicy(storage: Storage, namespace: string, name: string): void {
  storage.delete(policyKey(namespace, name));
}

/** Names of the policies of a namespace, in order; `root` is the root namespace's only, and comes last. */
export function policyNames(storage: Storage, namespace: string): string[] {
  const kept = storage.list(policyKey(namespace, '')).map(([found]) => partsOf(found).at(-1) ?? '');
  const names = [...new Set([...kept, 'default'])].sort();
  return namespace === '' ? [...names, 'root'] : names;
}

/** The policy `default` as a namespace has it from the start: what every token may do for itself. */
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
