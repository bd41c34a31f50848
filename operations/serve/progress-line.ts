import type { DeploymentEvent, StepOperation } from '../../engine/engine.ts';
import { parseUrn } from '../../engine/urn.ts';
import { stepTitle } from '../description/step-title.ts';

/** What was done, by operation. A replacement is shown by its parts. */
const done: Partial<Record<StepOperation, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  'create-replacement': 'created the new',
  'delete-replaced': 'deleted the old',
  import: 'imported',
  'import-replacement': 'imported the new',
  discard: 'discarded',
};

/** One line about a resource that was changed, or could not be; undefined for what the log of an apply leaves out. */
export function progressLine(event: DeploymentEvent): string | undefined {
  if (event.type !== 'step-done' && event.type !== 'step-failed') return undefined;
  const { op, urn } = event.step;
  if (parseUrn(urn).type === 'pulumi:pulumi:Stack') return undefined;
  const resource = stepTitle(event.step);
  // Its error is the reason of the run.
  if (event.type === 'step-failed') return `failed to ${op} ${resource}`;
  return done[op] && `${done[op]} ${resource}`;
}
