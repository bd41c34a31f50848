import { randomBytes, randomUUID } from 'node:crypto';
import { Collection, type Space } from './storage.ts';

export type NamespaceRecord = {
  /** From the root namespace, without slashes at its ends. */
  path: string;
  id: string;
  uuid: string;
  metadata: Record<string, string>;
};

/** The namespaces directly below another, in whose space they are stored. */
export const namespaces = new Collection<NamespaceRecord>('namespace');

/** Creates a namespace below another, or changes the metadata of an existing one. */
export function putNamespace(
  parent: Space,
  name: string,
  metadata: Record<string, string> | undefined,
): NamespaceRecord {
  const record = namespaces.get(parent, name) ?? {
    path: parent.namespace === '' ? name : `${parent.namespace}/${name}`,
    id: randomBytes(8).toString('base64').replace(/\W/g, '').slice(0, 6),
    uuid: randomUUID(),
    metadata: {},
  };
  const namespace = { ...record, metadata: metadata ?? record.metadata };
  namespaces.put(parent, name, namespace);
  return namespace;
}

export function deleteNamespace(parent: Space, name: string, { path }: NamespaceRecord): void {
  for (const [storageKey] of parent.storage.list(`${path}|`)) parent.storage.delete(storageKey);
  namespaces.delete(parent, name);
}

/** Resolves namespaces in a path: `team/sys/auth` in the root namespace is `sys/auth` in `team`, if that exists. */
export function enterNamespaces(space: Space, path: string): { namespace: string; path: string } {
  const [first = '', ...rest] = path.split('/');
  const child = rest.length === 0 ? undefined : namespaces.get(space, first);
  if (child === undefined) return { namespace: space.namespace, path };
  return enterNamespaces({ storage: space.storage, namespace: child.path }, rest.join('/'));
}

function find({ storage, namespace }: Space): NamespaceRecord | undefined {
  const slash = namespace.lastIndexOf('/');
  return namespaces.get(
    { storage, namespace: namespace.slice(0, Math.max(slash, 0)) },
    namespace.slice(slash + 1),
  );
}

export function namespaceExists(space: Space): boolean {
  return space.namespace === '' || find(space) !== undefined;
}

/** Id of a namespace; `root` for the root namespace. Generated names of entities and groups end in it. */
export function namespaceId(space: Space): string {
  return find(space)?.id ?? 'root';
}
