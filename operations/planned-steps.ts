import { unknownText } from '../core/model/values/unknown-text.ts';
import type { Step } from '../engine/engine.ts';
import { type Digest, type DigestStep, digestStep } from './description/digest.ts';

/**
 * Whether a plan is the approved one: the same steps on the same resources, with the same values. Values that were unknown
 * may be known by now; times and the like do not count. Neither plan has the values of secrets. Both list every step.
 *
 * @param isResumed whether some of the approved steps may be done already
 */
export function isSamePlan(approved: Digest, plan: Digest, { isResumed }: { isResumed: boolean }): boolean {
  const before = changesOf(approved);
  const now = changesOf(plan);
  return (isResumed || now.length === before.length) && now.every(planned(before));
}

/** Whether a step is one of these, each of which is for one step. For what a plan that was approved lets be done. */
export function plannedSteps(steps: readonly Step[]): (step: Step) => boolean {
  // As JSON, like the plans of `isSamePlan`.
  const changeOf = (step: Step) => change(JSON.parse(JSON.stringify(digestStep(step))));
  const isPlanned = planned(steps.filter(({ op }) => op !== 'same').map(changeOf));
  return (step) => isPlanned(changeOf(step));
}

interface Change {
  op: string;
  urn: string;
  before: unknown;
  after: unknown;
}

function planned(changes: Change[]): (change: Change) => boolean {
  // A replacement is several steps on one resource.
  const open = Map.groupBy(changes, keyOf);
  return (step) => {
    const alike = open.get(keyOf(step)) ?? [];
    const at = alike.findIndex((one) => matches(one, step));
    return at !== -1 && alike.splice(at, 1).length === 1;
  };
}

function keyOf({ op, urn }: Change): string {
  return `${op} ${urn}`;
}

function changesOf({ steps }: Digest): Change[] {
  return steps.filter(({ op }) => op !== 'same').map(change);
}

function change({ op, urn, oldState, newState }: DigestStep): Change {
  return { op, urn, before: inputsOf(oldState), after: inputsOf(newState) };
}

function inputsOf(state: unknown): unknown {
  return (state as { inputs?: unknown } | undefined)?.inputs ?? null;
}

/**
 * Equal, except that anything matches an unknown value, which may turn out to be none. The order of keys does not count: a
 * store may change it.
 */
function matches(approved: unknown, now: unknown): boolean {
  if (approved === unknownText) return true;
  if (typeof approved !== 'object' || approved === null || typeof now !== 'object' || now === null) {
    return approved === now;
  }
  if (Array.isArray(approved) !== Array.isArray(now)) return false;
  const [before, after] = [approved, now] as Record<string, unknown>[];
  return Object.keys({ ...before, ...after }).every((key) => matches(before?.[key], after?.[key]));
}
