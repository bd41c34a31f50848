import { unknownText } from '../../core/model/values/unknown-text.ts';
import type { Step } from '../../engine/engine.ts';
import { Unknown } from '../../engine/property-value.ts';
import { recordedRun } from './recorded.ts';

export const aliasType = 'vault:identity/groupAlias:GroupAlias';

/**
 * The preview that belongs to `save-plan-create`, which was not recorded: the steps of the `up` after it, without what is
 * known only then.
 */
export function firstPreview(): Step[] {
  return recordedRun('up-plan-create').steps.map((step) => {
    const { newState, type, provider } = step;
    if (newState === undefined || provider === undefined) return step;
    const unmade = provider.replace(/[^:]+$/, unknownText);
    const inputs =
      type === aliasType
        ? { ...newState.inputs, canonicalId: Unknown.value, mountAccessor: Unknown.value }
        : newState.inputs;
    return {
      ...step,
      provider: unmade,
      newState: { ...newState, id: unknownText, provider: unmade, inputs, outputs: inputs },
    };
  });
}
