import { createHash } from 'node:crypto';
import { sortedJson } from '../graph/resources/field.ts';
import type { PulumiStep } from '../review/plan/pulumi-preview.ts';
import type { ReviewedChange } from './statement.ts';

type StepResource = NonNullable<PulumiStep['newState']>;

/**
 * What an engine planned, by the digests of its steps, of the state before and of what is declared. A state that came back to
 * what it was is another one by its times, which Pulumi's CLI leaves out. The values of secrets count nowhere: plans have none.
 *
 * @param steps all of them, also those that leave a resource as it is, without those of a refresh
 */
export function digestsOfSteps(
  steps: readonly PulumiStep[],
): Required<Pick<ReviewedChange, 'digest' | 'state' | 'declared'>> {
  const changes = steps
    .filter(({ op }) => op !== 'same')
    .map(({ op, urn, provider, oldState, newState }) => ({
      op,
      urn,
      provider,
      before: oldState?.inputs,
      after: newState?.inputs,
    }));
  const states = (side: 'oldState' | 'newState', of: (state: StepResource) => unknown) =>
    digestOf(steps.flatMap(({ urn, [side]: state }) => (state ? [[urn, of(state)]] : [])));
  return {
    digest: digestOf(changes),
    state: states('oldState', ({ id, modified, inputs, outputs }) => ({ id, modified, inputs, outputs })),
    declared: states('newState', ({ inputs }) => inputs),
  };
}

/** An engine takes the steps of a plan in any order. */
function digestOf(steps: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify(steps.map(sortedJson).sort()))
    .digest('hex');
}
