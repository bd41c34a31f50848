import {
  type Difference,
  type KnownAccess,
  knownOf,
  knownWords,
  partsIn,
  resources,
  subjectKey,
  subjectName,
  subjectOf,
} from '@gatehouse/core/graph';
import { type AnsweredService, driftOf } from '@gatehouse/core/review';
import { shortened } from '@gatehouse/core/values';
import type { Declared } from '../open/open-environment.ts';
import type { Left } from './provider-of.ts';

/** What an environment leaves on the service, as drift finds it. */
export function leftByDrift(declared: Declared, answered: AnsweredService): Difference[] {
  const { differences, unmanaged } = driftOf(declared, answered, { unmanaged: true, now: 0n });
  return [...differences.filter(({ isLeft }) => isLeft), ...unmanaged];
}

/**
 * What an environment leaves on the service as known, so that the first drift finds nothing.
 *
 * @param left why, where that is known better than drift can tell
 */
export function knownLeft(
  declared: Declared,
  answered: AnsweredService,
  left: readonly Left[],
): KnownAccess[] {
  const reasons = new Map(left.map(({ subject, why }) => [leftKey(subject), why]));
  const own = resources.flatMap((resource) =>
    partsIn(declared.graph, resource).map((part) => subjectKey(subjectOf(resource, part))),
  );
  const isDeclared = new Set(own);
  const all = new Map<string, KnownAccess>();
  const reasonFor = (difference: Difference): string => {
    const { subject, note = 'it was there when adopted' } = difference;
    // Token roles go with their method.
    const isPart = subject.type === 'other' && subject.method !== undefined;
    return isPart ? `${subjectName(subject)} ${note}` : (reasons.get(leftKey(withField(difference))) ?? note);
  };
  // A thing that is known may uncover another one, as an alias uncovers its group.
  for (;;) {
    const environment = { ...declared.environment, known: [...all.values()] };
    const newlyLeft = leftByDrift({ ...declared, environment }, answered).flatMap((difference) => {
      const { subject } = difference;
      // A part that the stack does not declare is left as a whole.
      const thing = knownOf(isDeclared.has(subjectKey(subject)) ? withField(difference) : subject);
      return thing === undefined || all.has(knownWords(thing)) ? [] : [{ thing, difference }];
    });
    if (newlyLeft.length === 0) return [...all.values()];
    for (const [words, ofThing] of Map.groupBy(newlyLeft, ({ thing }) => knownWords(thing))) {
      const [{ thing }] = ofThing as [(typeof newlyLeft)[0]];
      const because = ofThing.map(({ difference }) => reasonFor(difference));
      all.set(words, { ...thing, because: shortened(because, 3, '; ') });
    }
  }
}

export function withField({ subject, field }: Difference): Left['subject'] {
  return { ...subject, ...(field !== undefined && { field }) };
}

function leftKey(subject: Left['subject']): string {
  return JSON.stringify([subjectKey(subject), subject.field]);
}
