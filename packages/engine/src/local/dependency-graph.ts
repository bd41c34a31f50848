import type { ResourceState } from '../resource-state.ts';
import { parsePluginReference } from '../urn.ts';

/** URNs that a resource depends on, without its parent: dependencies, property dependencies, plugin resource. */
function dependencyUrns(
  resource: Pick<ResourceState, 'dependencies' | 'propertyDependencies' | 'provider'>,
): Set<string> {
  const urns = new Set(resource.dependencies);
  for (const key in resource.propertyDependencies) {
    for (const urn of resource.propertyDependencies[key] ?? []) urns.add(urn);
  }
  if (resource.provider !== undefined) urns.add(parsePluginReference(resource.provider).urn);
  return urns;
}

/** URNs that a resource refers to: its parent first, then what it depends on. */
export function referencedUrns(
  resource: Pick<ResourceState, 'parent' | 'dependencies' | 'propertyDependencies' | 'provider'>,
): Set<string> {
  const { parent } = resource;
  return new Set([...(parent === undefined ? [] : [parent]), ...dependencyUrns(resource)]);
}

/** What a resource refers to in addition to its parent and plugin resource, with each list of URNs changed. */
export function changedReferences(
  { dependencies, propertyDependencies }: Pick<ResourceState, 'dependencies' | 'propertyDependencies'>,
  change: (urns: string[]) => string[],
): Pick<ResourceState, 'dependencies' | 'propertyDependencies'> {
  const byProperty = Object.entries(propertyDependencies).map(([key, urns]) => [key, change(urns)]);
  return { dependencies: change(dependencies), propertyDependencies: Object.fromEntries(byProperty) };
}

/**
 * Which resources depend on which (pulumi/pulumi `pkg/resource/graph/dependency_graph.go`). Pulumi relies on the order
 * of the state's list; here the graph computes it, because a row keeps its place when it is written again. Where a URN
 * has several resources, live ones depend on live ones, and those to be deleted on those to be deleted.
 */
export class DependencyGraph {
  /** Every resource after all its dependencies and its parent, otherwise in the order given. */
  readonly ordered: readonly ResourceState[];
  readonly #index = new Map<ResourceState, number>();
  readonly #children = new Map<ResourceState, ResourceState[]>();
  readonly #dependents = new Map<ResourceState, ResourceState[]>();

  constructor(resources: readonly ResourceState[]) {
    const copies = Map.groupBy(resources, ({ urn }) => urn);
    const prerequisites = new Map<ResourceState, ResourceState[]>();
    for (const resource of resources) {
      const required: ResourceState[] = [];
      for (const urn of dependencyUrns(resource)) {
        for (const dependency of counterparts(copies.get(urn), resource)) {
          push(this.#dependents, dependency, resource);
          required.push(dependency);
        }
      }
      for (const parent of counterparts(copies.get(resource.parent ?? ''), resource)) {
        push(this.#children, parent, resource);
        required.push(parent);
      }
      prerequisites.set(resource, required);
    }
    this.ordered = inDependencyOrder(resources, (resource) => prerequisites.get(resource) ?? []);
    this.ordered.forEach((resource, index) => {
      this.#index.set(resource, index);
    });
  }

  /**
   * All direct and indirect dependents of a resource, in dependency order. Resources in `ignore`, and dependents of these
   * alone, are left out.
   */
  dependents(
    root: ResourceState,
    { ignore, includeChildren }: { ignore?: (urn: string) => boolean; includeChildren: boolean },
  ): ResourceState[] {
    const seen = new Set([root]);
    const queue = [root];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const direct = this.directDependents(next, includeChildren);
      for (const resource of direct) {
        if (seen.has(resource) || ignore?.(resource.urn)) continue;
        seen.add(resource);
        queue.push(resource);
      }
    }
    seen.delete(root);
    return [...seen].sort((a, b) => this.#position(a) - this.#position(b));
  }

  directDependents(resource: ResourceState, includeChildren: boolean): ResourceState[] {
    const dependents = this.#dependents.get(resource) ?? [];
    return includeChildren ? [...dependents, ...(this.#children.get(resource) ?? [])] : dependents;
  }

  /** The resources in the order of their deletion: each after all its dependents. */
  inDeletionOrder(resources: readonly ResourceState[]): ResourceState[] {
    return resources.toSorted((a, b) => this.#position(b) - this.#position(a));
  }

  #position(resource: ResourceState): number {
    return this.#index.get(resource) ?? 0;
  }
}

function counterparts(copies: ResourceState[] | undefined, resource: ResourceState): ResourceState[] {
  if (copies === undefined) return [];
  const equal = copies.filter((copy) => copy !== resource && copy.delete === resource.delete);
  return equal.length > 0 ? equal : copies.filter((copy) => copy !== resource);
}

/** Sorts resources so that each comes after its prerequisites, otherwise in the order given. */
export function inDependencyOrder(
  resources: readonly ResourceState[],
  prerequisites: (resource: ResourceState) => ResourceState[],
): ResourceState[] {
  const visited = new Set<ResourceState>();
  const result: ResourceState[] = [];
  for (const resource of resources) {
    // Not recursive: a chain of dependencies may be longer than the call stack.
    const path: { resource: ResourceState; before: ResourceState[] }[] = [];
    const enter = (candidate: ResourceState) => {
      if (visited.has(candidate)) return;
      visited.add(candidate);
      path.push({ resource: candidate, before: prerequisites(candidate).toReversed() });
    };
    enter(resource);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const dependency = top.before.pop();
      if (dependency !== undefined) enter(dependency);
      else {
        result.push(top.resource);
        path.pop();
      }
    }
  }
  return result;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
