import { type PropertyMap, Unknown } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { isPluginType, parsePluginReference } from '../urn.ts';
import { type DeploymentContext, operationsFor } from './deployment-context.ts';

/**
 * Whether a resource must be replaced because its plugin resource changed: not if that was only renamed, nor if its
 * settings reach the same service (pulumi/pulumi `pkg/resource/deploy/step_generator.go`, `providerChanged`).
 */
export async function providerChanged(
  { state, plugins }: DeploymentContext,
  aliased: ReadonlyMap<string, string>,
  old: ResourceState,
  next: ResourceState,
): Promise<boolean> {
  if (old.provider === next.provider) return false;
  if (old.provider === undefined || next.provider === undefined) return true;
  const before = parsePluginReference(old.provider);
  const after = parsePluginReference(next.provider);
  if (aliased.get(before.urn) === after.urn) return false;
  const oldPlugin = state.live(before.urn);
  if (oldPlugin === undefined) return true;
  const diff = await plugins.diff({
    urn: after.urn,
    id: after.id,
    olds: oldPlugin.outputs,
    oldInputs: oldPlugin.inputs,
    news: plugins.inputsOf(next.provider),
    ignoreChanges: [],
  });
  return diff.replaces.length > 0;
}

/**
 * The dependents that must be replaced with `root`, in dependency order: those whose plugin requires it when the inputs
 * taken from a replaced resource become unknown (pulumi/pulumi `pkg/resource/deploy/step_generator.go`,
 * `calculateDependentReplacements`). Resources that are already registered, or deleted, no longer depend on `root`.
 *
 * @returns with each, the properties that require it
 */
export async function dependentReplacements(
  context: DeploymentContext,
  root: ResourceState,
  isDecided: (urn: string) => boolean,
): Promise<{ resource: ResourceState; keys: string[] }[]> {
  const replaced = new Set([root.urn]);
  const result: { resource: ResourceState; keys: string[] }[] = [];
  const dependents = context.state.graph.dependents(root, { ignore: isDecided, includeChildren: false });
  for (const resource of dependents) {
    const keys = await replacementKeys(context, resource, replaced);
    if (keys === undefined) continue;
    result.push({ resource, keys });
    replaced.add(resource.urn);
  }
  return result;
}

/** The properties for which a dependent must be replaced; undefined if the resource can stay. */
async function replacementKeys(
  context: DeploymentContext,
  resource: ResourceState,
  replaced: ReadonlySet<string>,
): Promise<string[] | undefined> {
  if (!resource.custom) return undefined;
  if (resource.provider !== undefined && replaced.has(parsePluginReference(resource.provider).urn)) return [];
  const inputs: PropertyMap = { ...resource.inputs };
  let touched = false;
  for (const key of Object.keys(inputs)) {
    if (!resource.propertyDependencies[key]?.some((urn) => replaced.has(urn))) continue;
    inputs[key] = Unknown.value;
    touched = true;
  }
  if (!touched) return undefined;
  if (isPluginType(resource.type)) {
    await context.plugins.same(resource.urn, resource.id ?? '', resource.inputs);
  }
  const operations = await operationsFor(context, resource);
  const { replaces } = await operations.diff({
    urn: resource.urn,
    id: resource.id ?? '',
    olds: resource.outputs,
    oldInputs: resource.inputs,
    news: inputs,
    ignoreChanges: [],
  });
  return replaces.length > 0 ? replaces : undefined;
}
