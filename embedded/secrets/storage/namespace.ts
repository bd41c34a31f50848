import { randomBytes, randomUUID } from 'node:crypto';
import { key, type Storage } from './storage.ts';

/** A namespace below another: a separate service in the same server. */
export type Namespace = {
  /** From the root namespace, without slashes at its ends. */
  path: string;
  id: string;
  uuid: string;
  metadata: Record<string, string>;
};

// Each is kept in the one it lies in.
const namespaceKey = (parent: string, name: string) => key(parent, 'namespace', name);

export function findNamespace(storage: Storage, parent: string, name: string): Namespace | undefined {
  return storage.get(namespaceKey(parent, name)) as Namespace | undefined;
}

/** The namespaces right below another, by name. */
export function namespacesIn(storage: Storage, parent: string): Namespace[] {
  return storage.list(namespaceKey(parent, '')).map(([, found]) => found as Namespace);
}

export function namespaceName({ path }: Namespace): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Makes a namespace; one that is there gets the metadata, and is otherwise as it was. */
export function putNamespace(
  storage: Storage,
  parent: string,
  name: string,
  metadata: Record<string, string> | undefined,
): Namespace {
  return storage.transaction(() => {
    const there = findNamespace(storage, parent, name) ?? {
      path: parent === '' ? name : `${parent}/${name}`,
      id: randomBytes(8).toString('base64').replace(/\W/g, '').slice(0, 6),
      uuid: randomUUID(),
      metadata: {},
    };
    const namespace = { ...there, metadata: metadata ?? there.metadata };
    storage.put(namespaceKey(parent, name), namespace);
    return namespace;
  });
}

/** Forgets a namespace and all that is kept in it. */
export function deleteNamespace(storage: Storage, parent: string, name: string): void {
  storage.transaction(() => {
    const namespace = findNamespace(storage, parent, name);
    if (namespace === undefined) return;
    for (const [found] of storage.list(`${namespace.path}|`)) storage.delete(found);
    storage.delete(namespaceKey(parent, name));
  });
}

/**
 * The namespace that a path names, and what of the path is left: `team/sys/auth` in the root namespace is `sys/auth`
 * in `team`, where there is such a namespace.
 */
export function enterNamespaces(
  storage: Storage,
  namespace: string,
  path: string,
): { namespace: string; path: string } {
  let [inside, rest] = [namespace, path];
  for (;;) {
    const slash = rest.indexOf('/');
    const found = slash === -1 ? undefined : findNamespace(storage, inside, rest.slice(0, slash));
    if (found === undefined) return { namespace: inside, path: rest };
    inside = found.path;
    rest = rest.slice(slash + 1);
  }
}

export function namespaceExists(storage: Storage, namespace: string): boolean {
  if (namespace === '') return true;
  const slash = namespace.lastIndexOf('/');
  const parent = slash === -1 ? '' : namespace.slice(0, slash);
  return findNamespace(storage, parent, namespace.slice(slash + 1)) !== undefined;
}

/** How identity paths call a namespace, and what the names they make up end in: its id, `root` for the root one. */
export function namespaceId(storage: Storage, namespace: string): string {
  const slash = namespace.lastIndexOf('/');
  const parent = slash === -1 ? '' : namespace.slice(0, slash);
  return findNamespace(storage, parent, namespace.slice(slash + 1))?.id ?? 'root';
}
