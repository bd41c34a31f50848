import { randomBytes, randomUUID } from 'node:crypto';
import { key, type Storage } from './storage.ts';

/** A namespace below another one. */
export type Namespace = {
  /** From the root namespace, without slashes at its ends. */
  path: string;
  id: string;
  uuid: string;
  metadata: Record<string, string>;
};

// Stored in the parent namespace.
const namespaceKey = (parent: string, name: string) => key(parent, 'namespace', name);

export function findNamespace(storage: Storage, parent: string, name: string): Namespace | undefined {
  return storage.get(namespaceKey(parent, name)) as Namespace | undefined;
}

/** The namespaces directly below another, by name. */
export function namespacesIn(storage: Storage, parent: string): Namespace[] {
  return storage.list(namespaceKey(parent, '')).map(([, found]) => found as Namespace);
}

/** Creates a namespace, or changes the metadata of an existing one. */
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

/** Deletes a namespace with everything in it. */
export function deleteNamespace(storage: Storage, parent: string, name: string): void {
  storage.transaction(() => {
    const namespace = findNamespace(storage, parent, name);
    if (namespace === undefined) return;
    for (const [found] of storage.list(`${namespace.path}|`)) storage.delete(found);
    storage.delete(namespaceKey(parent, name));
  });
}

/** Resolves namespaces in a path: `team/sys/auth` in the root namespace is `sys/auth` in `team`, if that exists. */
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

function namespaceAt(storage: Storage, path: string): Namespace | undefined {
  const slash = path.lastIndexOf('/');
  return findNamespace(storage, slash === -1 ? '' : path.slice(0, slash), path.slice(slash + 1));
}

export function namespaceExists(storage: Storage, namespace: string): boolean {
  return namespace === '' || namespaceAt(storage, namespace) !== undefined;
}

/** Id of a namespace; `root` for the root namespace. Generated names of entities and groups end in it. */
export function namespaceId(storage: Storage, namespace: string): string {
  return namespaceAt(storage, namespace)?.id ?? 'root';
}
