import { findNamespace } from '../storage/namespace.ts';
import type { Storage } from '../storage/storage.ts';

/** How identity paths call a namespace, and what the names they make up end in: its id, `root` for the root one. */
export function namespaceId(storage: Storage, namespace: string): string {
  const slash = namespace.lastIndexOf('/');
  const parent = slash === -1 ? '' : namespace.slice(0, slash);
  return findNamespace(storage, parent, namespace.slice(slash + 1))?.id ?? 'root';
}
