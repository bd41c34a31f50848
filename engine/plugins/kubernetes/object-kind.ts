import type { JsonObject } from '../../../client/service-client.ts';
import { textOf } from '../../../core/model/values/loose-values.ts';
import { isPropertyMap, type PropertyMap, type PropertyValue } from '../../property-value.ts';

/** A kind of object that the program creates in a cluster. */
export interface ObjectKind {
  /** For example `kubernetes:core/v1:ServiceAccount`. */
  token: string;
  apiVersion: string;
  kind: string;
  /** In addition to `apiVersion`, `kind` and `metadata`. */
  properties: readonly string[];
  /** Those whose change needs a new object. */
  replaces: readonly string[];
  isNamespaced: boolean;
  /** The resource's name in the API, as permissions name it. */
  resource: string;
  /** The path of the list of objects in a namespace. */
  path(namespace: string): string;
}

const all: readonly ObjectKind[] = [
  {
    token: 'kubernetes:core/v1:ServiceAccount',
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    properties: [],
    replaces: [],
    isNamespaced: true,
    resource: 'serviceaccounts',
    path: (namespace) => `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts`,
  },
  {
    token: 'kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    properties: ['roleRef', 'subjects'],
    replaces: ['roleRef'],
    isNamespaced: false,
    resource: 'clusterrolebindings.rbac.authorization.k8s.io',
    path: () => '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  },
];

export const objectKinds = new Map(all.map((kind) => [kind.token, kind]));

/** What the program may set in `metadata`. */
export const metadataProperties: readonly string[] = ['annotations', 'labels', 'name', 'namespace'];

/** A text in an object's metadata; "" if it is absent. */
function metadataText({ metadata }: PropertyMap, name: 'name' | 'namespace'): string {
  return (isPropertyMap(metadata) && textOf(metadata[name])) || '';
}

/** As the official plugin has it: `namespace/name`, or the name alone. */
export function idOf({ isNamespaced }: ObjectKind, object: PropertyMap): string {
  const name = metadataText(object, 'name');
  return isNamespaced ? `${metadataText(object, 'namespace')}/${name}` : name;
}

export function pathOf(kind: ObjectKind, id: string): string {
  const slash = id.indexOf('/');
  const namespace = slash < 0 ? 'default' : id.slice(0, slash);
  return `${kind.path(namespace)}/${encodeURIComponent(id.slice(slash + 1))}`;
}

/** The keys of what the official plugin keeps with the object. */
const kept = { inputs: '__inputs', apiVersion: '__initialApiVersion', manager: '__fieldManager' } as const;

/** The state: the object as it is, and what the official plugin keeps with it (`provider.go`, `checkpointObject`). */
export function stateOf(live: JsonObject, inputs: PropertyMap, manager: string): PropertyMap {
  const { apiVersion = null } = inputs;
  const own = { [kept.inputs]: inputs, [kept.apiVersion]: apiVersion, [kept.manager]: manager };
  return { ...(live as PropertyMap), ...own };
}

/** Who applied an object, by its state. */
export function managerIn(state: PropertyMap): string | undefined {
  return textOf(state[kept.manager]);
}

const managedBy = 'app.kubernetes.io/managed-by';

/**
 * What is applied: the inputs, and a label that says whose the object is. The cluster keeps no manager of an object
 * without fields, and a service account has a name alone.
 */
export function labeled(inputs: PropertyMap, manager: string): JsonObject {
  const metadata = isPropertyMap(inputs['metadata']) ? inputs['metadata'] : {};
  const labels = isPropertyMap(metadata['labels']) ? metadata['labels'] : {};
  return { ...inputs, metadata: { ...metadata, labels: { [managedBy]: manager, ...labels } } };
}

/** Whether this manager applied a live object. */
export function isManagedBy(live: JsonObject, manager: string): boolean {
  const { labels } = (live['metadata'] ?? {}) as { labels?: Record<string, string> };
  return labels?.[managedBy] === manager;
}

/** A live value with those parts alone that are given: the cluster adds others (`provider.go`, `pruneLiveState`). */
export function pruned(live: PropertyValue, given: PropertyValue): PropertyValue {
  if (Array.isArray(live) && Array.isArray(given)) {
    return live.map((element, index) => pruned(element, given[index] ?? null));
  }
  if (!isPropertyMap(live) || !isPropertyMap(given)) return live;
  return Object.fromEntries(
    Object.entries(live)
      .filter(([name]) => given[name] !== undefined)
      .map(([name, value]) => [name, pruned(value, given[name] ?? null)]),
  );
}

/** The inputs of an imported object: everything that the program could have set. */
export function importedInputs({ properties }: ObjectKind, live: PropertyMap): PropertyMap {
  const chosen = (map: PropertyMap, names: readonly string[]) =>
    Object.fromEntries(Object.entries(map).filter(([name]) => names.includes(name)));
  const { metadata } = live;
  return {
    ...chosen(live, ['apiVersion', 'kind', ...properties]),
    metadata: isPropertyMap(metadata) ? chosen(metadata, metadataProperties) : {},
  };
}
