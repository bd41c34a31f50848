import { unknownText } from '../../core/model/values/unknown-text.ts';
import type { Digest } from '../description/digest.ts';

/**
 * Whether a plan is the approved one: the same steps on the same resources, with the same values. Values that were unknown
 * may be known by now; times and the like do not count. Neither plan has the values of secrets. Both list every step.
 *
 * @param isResumed whether some of the approved steps may be done already
 */
export function isSamePlan(approved: Digest, plan: Digest, { isResumed }: { isResumed: boolean }): boolean {
  const before = changesOf(approved);
  const now = changesOf(plan);
  if (!isResumed && now.length !== before.length) return false;
  // A replacement is several steps on one resource. Each approved step is for one step.
  const open = Map.groupBy(before, keyOf);
  return now.every((step) => {
    const alike = open.get(keyOf(step)) ?? [];
    const at = alike.findIndex((one) => matches(one, step));
    return at !== -1 && alike.splice(at, 1).length === 1;
  });
}

interface Change {
  op: string;
  urn: string;
  before: unknown;
  after: unknown;
  replaced: unknown;
}

function keyOf({ op, urn }: Change): string {
  return `${op} ${urn}`;
}

function changesOf({ steps }: Digest): Change[] {
  return steps
    .filter(({ op }) => op !== 'same')
    .map(({ op, urn, oldState, newState, replaceReasons }) => ({
      op,
      urn,
      before: inputsOf(oldState),
      after: inputsOf(newState),
      replaced: replaceReasons ?? [],
    }));
}

function inputsOf(state: unknown): unknown {
  return (state as { inputs?: unknown } | undefined)?.inputs ?? null;
}

/** Equal, except that anything matches an unknown value. The order of keys does not count: a store may change it. */
function matches(approved: unknown, now: unknown): boolean {
  if (approved === unknownText) return true;
  if (typeof approved !== 'object' || approved === null || typeof now !== 'object' || now === null) {
    return approved === now;
  }
  if (Array.isArray(approved) !== Array.isArray(now)) return false;
  const keys = Object.keys(approved);
  return (
    keys.length === Object.keys(now).length &&
    keys.every(
      (key) => key in now && matches(approved[key as keyof typeof approved], now[key as keyof typeof now]),
    )
  );
}
