import {
  type Difference,
  type Known,
  knownOf,
  knownWords,
  partsIn,
  resources,
  subjectKey,
  subjectName,
  subjectOf,
} from '@gatehouse/core/graph';
import { type Answered, driftOf } from '@gatehouse/core/review';
import { shortened } from '@gatehouse/core/values';
import type { Declared } from '../open/open-environment.ts';
import type { Left } from './provider-of.ts';

/** What an environment leaves on the service, as drift finds it. */
export function leftByDrift(declared: Declared, answered: Answered): Difference[] {
  const { differences, unmanaged } = driftOf(declared, answered, { unmanaged: true, now: 0n });
  return [...differences.filter(({ isLeft }) => isLeft), ...unmanaged];
}

/**
 * What an environment leaves on the service as known, so that the first drift finds nothing.
 *
 * @param left why, where that is known better than drift can tell
 */
export function knownLeft(declared: Declared, answered: Answered, left: readonly Left[]): Known[] {
  const reasons = new Map(left.map(({ subject, why }) => [keyOf(subject), why]));
  const own = resources.flatMap((resource) =>
    partsIn(declared.graph, resource).map((part) => subjectKey(subjectOf(resource, part))),
  );
  const isDeclared = new Set(own);
  const all = new Map<string, Known>();
  // One that is known may uncover another: an alias, its group.
  for (;;) {
    const environment = { ...declared.environment, known: [...all.values()] };
    const found = leftByDrift({ ...declared, environment }, answered).flatMap((one) => {
      // A part that the stack does not declare is left as a whole.
      const thing = knownOf(isDeclared.has(subjectKey(one.subject)) ? withField(one) : one.subject);
      return thing === undefined || all.has(knownWords(thing)) ? [] : [{ thing, one }];
    });
    if (found.length === 0) return [...all.values()];
    for (const [words, same] of Map.groupBy(found, ({ thing }) => knownWords(thing))) {
      const [{ thing }] = same as [(typeof found)[0]];
      const because = same.map(({ one }) => {
        const { note = 'it was there when adopted' } = one;
        // Token roles go with their method.
        const isPart = one.subject.type === 'other' && one.subject.method !== undefined;
        return isPart ? `${subjectName(one.subject)} ${note}` : (reasons.get(keyOf(withField(one))) ?? note);
      });
      all.set(words, { ...thing, because: shortened(because, 3, '; ') });
    }
  }
}

export function withField({ subject, field }: Difference): Left['subject'] {
  return { ...subject, ...(field !== undefined && { field }) };
}

function keyOf(subject: Left['subject']): string {
  return JSON.stringify([subjectKey(subject), subject.field]);
}
