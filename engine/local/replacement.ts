import { type PropertyMap, Unknown } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { isPluginType, parsePluginReference } from '../urn.ts';
import { type DeploymentContext, operationsForOld } from './deployment-context.ts';

/**
 * Whether a resource must be replaced because another plugin resource is to work it: not when that is the
 * same one under another name, nor when its settings reach the same service (pulumi/pulumi
 * `pkg/resource/deploy/step_generator.go`, `providerChanged`).
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

/** A resource that cannot outlive the one it depends on, and the properties why. */
interface DependentReplacement {
  resource: ResourceState;
  keys: string[];
}

/**
 * The dependents that would be replaced by a change of `root`, in dependency order: those whose plugin asks
 * for a replacement when the inputs taken from a replaced resource become unknown (pulumi/pulumi
 * `pkg/resource/deploy/step_generator.go`, `calculateDependentReplacements`). What is registered already
 * cannot depend on `root` any more.
 */
export async function dependentReplacements(
  context: DeploymentContext,
  root: ResourceState,
  registered: ReadonlySet<string>,
): Promise<DependentReplacement[]> {
  const replaced = new Set([root.urn]);
  const result: DependentReplacement[] = [];
  for (const resource of context.state.graph.dependents(root, {
    ignore: registered,
    includeChildren: false,
  })) {
    const keys = await replacementKeys(context, resource, replaced);
    if (keys === undefined) continue;
    result.push({ resource, keys });
    replaced.add(resource.urn);
  }
  return result;
}

/** Undefined when the resource can stay. */
async function replacementKeys(
  context: DeploymentContext,
  resource: ResourceState,
  replaced: ReadonlySet<string>,
): Promise<string[] | undefined> {
  if (!resource.custom || resource.external) return undefined;
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
  const operations = await operationsForOld(context, resource);
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
