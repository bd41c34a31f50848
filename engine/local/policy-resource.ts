import type { PolicyResource } from '../policies/policy-pack.ts';
import type { PropertyMap } from '../property-value.ts';
import type { ResourceState } from '../resource-state.ts';
import { parsePluginReference } from '../urn.ts';
import type { DeploymentContext } from './deployment-context.ts';
import type { Goal } from './goal.ts';

/**
 * A resource as policies see it (pulumi/pulumi `pkg/resource/deploy/step_generator.go`, `AnalyzeResources`).
 *
 * @param properties its inputs before the step, its outputs at the end
 * @param formerUrn where it had another name
 */
export function policyResource(
  { plugins }: DeploymentContext,
  row: ResourceState,
  properties: PropertyMap,
  goal: Goal,
  formerUrn: string | undefined,
): PolicyResource {
  const { urn, type, provider: reference, parent, protect } = row;
  return {
    ...{ urn, type, properties, parent, protect },
    ...(reference && {
      provider: { urn: parsePluginReference(reference).urn, inputs: plugins.inputsOf(reference) },
    }),
    aliases: formerUrn === undefined || formerUrn === urn ? [] : [formerUrn],
    ignoreChanges: goal.ignoreChanges,
    additionalSecretOutputs: row.additionalSecretOutputs,
    deleteBeforeReplace: goal.deleteBeforeReplace,
    dependencies: row.dependencies,
    propertyDependencies: row.propertyDependencies,
  };
}
