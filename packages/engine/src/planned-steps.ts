import type { PulumiPreview, PulumiStep } from '@gatehouse/core/review';
import { unknownText } from '@gatehouse/core/values';
import type { DeploymentResult, Step } from './engine.ts';
import { maskedProperties } from './property-json.ts';
import type { ResourceState } from './resource-state.ts';

/** What an engine planned, as a review reads it: with every step, those that only read what is there as such. */
export function plannedPreview({ steps, diagnostics }: DeploymentResult): PulumiPreview {
  return {
    steps: steps.map((step) => ({ ...plannedStep(step), ...(step.refreshed && { op: 'refresh' }) })),
    diagnostics: diagnostics.map(({ severity }) => ({ severity })),
  };
}

/** A step as any engine's preview tells it, without the values of secrets. */
export function plannedStep(step: Step): PulumiStep {
  const { op, urn, provider, oldState, newState, diffs, detailedDiff } = step;
  return {
    op,
    urn,
    provider: provider || undefined,
    diffReasons: diffs,
    detailedDiff,
    oldState: oldState && plannedState(oldState),
    newState: newState && plannedState(newState),
  };
}

function plannedState({ inputs, outputs, ...state }: ResourceState): NonNullable<PulumiStep['newState']> {
  return { ...state, inputs: maskedProperties(inputs), outputs: maskedProperties(outputs) };
}

/** What is compared of a step. */
type ComparedStep = Pick<PulumiStep, 'op' | 'urn' | 'provider'> & { oldState?: unknown; newState?: unknown };

/**
 * Whether a plan is the reviewed one: the same steps on the same resources, with the same values. Values that were unknown
 * may be known by now; times and the like do not count. Neither plan has the values of secrets. Both list every step.
 *
 * @param isResumed whether some of the reviewed steps may be done already
 */
export function isSamePlan(
  reviewed: readonly ComparedStep[],
  plan: readonly ComparedStep[],
  { isResumed }: { isResumed: boolean },
): boolean {
  const reviewedChanges = reviewed.filter(isChange);
  const changes = plan.filter(isChange);
  return (
    (isResumed || changes.length === reviewedChanges.length) && changes.every(admitOnce(reviewedChanges))
  );
}

/** Admits the steps of a reviewed plan, each of them once. Without a change in the plan, no step is admitted. */
export function admissionOf(reviewed: readonly Step[]): (step: Step) => boolean {
  const admits = admitOnce(
    reviewed
      .filter((step) => !step.refreshed)
      .map(plannedStep)
      .filter(isChange),
  );
  return (step) => admits(plannedStep(step));
}

/** Whether a step does more than leave a resource as it is. */
export function isChange({ op }: Pick<ComparedStep, 'op'>): boolean {
  return op !== 'same';
}

/** A predicate with a memory: each change makes it true for one step. */
function admitOnce(changes: ComparedStep[]): (change: ComparedStep) => boolean {
  // A replacement is several steps on one resource.
  const keyOf = ({ op, urn }: ComparedStep) => `${op} ${urn}`;
  const expected = Map.groupBy(changes, keyOf);
  return (step) => {
    const equal = expected.get(keyOf(step)) ?? [];
    const at = equal.findIndex(
      (candidate) =>
        isSameProvider(candidate.provider, step.provider) &&
        (['oldState', 'newState'] as const).every((side) =>
          isAsPlanned(inputsOf(candidate[side]), inputsOf(step[side])),
        ),
    );
    return at !== -1 && equal.splice(at, 1).length === 1;
  };
}

/** The inputs of a state; a state without inputs has empty ones. */
function inputsOf(state: unknown): unknown {
  return (state as { inputs?: unknown } | undefined)?.inputs ?? {};
}

/** Whether both name one plugin resource. The id of one that is not created yet is unknown, and matches any. */
export function isSameProvider(reviewed = '', now = ''): boolean {
  const knownPart = reviewed.replace(unknownText, '');
  const isUncreated = reviewed.endsWith(`::${unknownText}`);
  return reviewed === now || (isUncreated && now.startsWith(knownPart));
}

/**
 * Whether a value is as reviewed: equal, except that an unknown value matches anything, even no value. The order of keys
 * does not count: a store may change it.
 */
export function isAsPlanned(reviewed: unknown, now: unknown): boolean {
  if (reviewed === unknownText) return true;
  if (typeof reviewed !== 'object' || reviewed === null || typeof now !== 'object' || now === null) {
    return reviewed === now;
  }
  if (Array.isArray(reviewed) !== Array.isArray(now)) return false;
  const fieldsBefore = reviewed as Record<string, unknown>;
  const fieldsAfter = now as Record<string, unknown>;
  const keys = Object.keys({ ...fieldsBefore, ...fieldsAfter });
  return keys.every((key) => isAsPlanned(fieldsBefore[key], fieldsAfter[key]));
}
