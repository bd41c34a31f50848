import type { Step, StepOperation } from '../engine.ts';
import type { DiffResponse } from '../plugins/plugin.ts';
import type { ResourceState } from '../resource-state.ts';

export function newStep(op: StepOperation, resource: ResourceState, shown: Partial<Step>): Step {
  return {
    op,
    urn: resource.urn,
    type: resource.type,
    ...(resource.provider === undefined ? {} : { provider: resource.provider }),
    ...shown,
  };
}

/** What a step shows of a diff. */
export function differences(diff: DiffResponse | undefined): Partial<Step> {
  if (diff === undefined) return {};
  return {
    ...(diff.diffs.length === 0 ? {} : { diffs: diff.diffs }),
    ...(diff.replaces.length === 0 ? {} : { replaceKeys: diff.replaces }),
    ...(diff.detailedDiff === undefined ? {} : { detailedDiff: diff.detailedDiff }),
  };
}
