import type { ResourceState } from '../resource-state.ts';
import { parsePluginReference } from '../urn.ts';

/** URNs that a resource depends on, its parent aside: dependencies, property dependencies, plugin resource. */
export function dependencyUrns(
  resource: Pick<ResourceState, 'dependencies' | 'propertyDependencies' | 'provider'>,
): Set<string> {
  const urns = new Set(resource.dependencies);
  for (const key in resource.propertyDependencies) {
    for (const urn of resource.propertyDependencies[key] ?? []) urns.add(urn);
  }
  if (resource.provider !== undefined) urns.add(parsePluginReference(resource.provider).urn);
  return urns;
}

/**
 * Which resources hang on which (pulumi/pulumi `pkg/resource/graph/dependency_graph.go`). Pulumi relies on
 * the order of the state's list; here the order is worked out, because a row keeps its place when it is
 * written again. Where one URN stands for several resources, what is to be deleted goes with what is to
 * be deleted, and what is live with what is live.
 */
export class DependencyGraph {
  /** Every resource after all that it depends on, its parent included; else as they were given. */
  readonly ordered: readonly ResourceState[];
  readonly #index = new Map<ResourceState, number>();
  readonly #children = new Map<ResourceState, ResourceState[]>();
  readonly #dependents = new Map<ResourceState, ResourceState[]>();

  constructor(resources: readonly ResourceState[]) {
    const copies = new Map<string, ResourceState[]>();
    for (const resource of resources) push(copies, resource.urn, resource);
    const prerequisites = new Map<ResourceState, ResourceState[]>();
    for (const resource of resources) {
      const found: ResourceState[] = [];
      for (const urn of dependencyUrns(resource)) {
        for (const dependency of counterparts(copies.get(urn), resource)) {
          push(this.#dependents, dependency, resource);
          found.push(dependency);
        }
      }
      for (const parent of counterparts(copies.get(resource.parent ?? ''), resource)) {
        push(this.#children, parent, resource);
        found.push(parent);
      }
      prerequisites.set(resource, found);
    }
    this.ordered = sorted(resources, prerequisites);
    this.ordered.forEach((resource, index) => {
      this.#index.set(resource, index);
    });
  }

  /**
   * What depends on a resource, directly or not, in dependency order. What `ignore` names is left out,
   * and what depends on it alone.
   */
  dependents(
    root: ResourceState,
    { ignore, includeChildren }: { ignore?: ReadonlySet<string>; includeChildren: boolean },
  ): ResourceState[] {
    const seen = new Set([root]);
    const queue = [root];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const direct = this.directDependents(next, includeChildren);
      for (const resource of direct) {
        if (seen.has(resource) || ignore?.has(resource.urn)) continue;
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

  /** The resources in an order in which they can be deleted: each after all that depends on it. */
  inDeletionOrder(resources: readonly ResourceState[]): ResourceState[] {
    return resources.toSorted((a, b) => this.#position(b) - this.#position(a));
  }

  #position(resource: ResourceState): number {
    return this.#index.get(resource) ?? 0;
  }
}

function counterparts(copies: ResourceState[] | undefined, resource: ResourceState): ResourceState[] {
  if (copies === undefined) return [];
  const alike = copies.filter((copy) => copy !== resource && copy.delete === resource.delete);
  return alike.length > 0 ? alike : copies.filter((copy) => copy !== resource);
}

function sorted(
  resources: readonly ResourceState[],
  prerequisites: ReadonlyMap<ResourceState, ResourceState[]>,
): ResourceState[] {
  const visited = new Set<ResourceState>();
  const result: ResourceState[] = [];
  for (const resource of resources) {
    // A stack of its own: a chain of dependencies may be longer than the call stack.
    const path: { resource: ResourceState; next: number }[] = [];
    const enter = (candidate: ResourceState) => {
      if (visited.has(candidate)) return;
      visited.add(candidate);
      path.push({ resource: candidate, next: 0 });
    };
    enter(resource);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const dependency = prerequisites.get(top.resource)?.[top.next++];
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
