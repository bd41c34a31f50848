import type { ResourceState } from '../resource-state.ts';
import { parsePluginReference } from '../urn.ts';
import type { DeploymentContext } from './deployment-context.ts';

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
