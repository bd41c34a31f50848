import { unmodeledWords } from '../../../src/words/unmodeled-words.ts';
import { composed } from './terraform.ts';

/** What a plan touches that is not modeled, in words; what is only not excluded is in brackets. */
export function linesOf(plan: string, rest: object = {}): string[] {
  return composed(plan, rest).flatMap(({ change: { unmodeled = [] } }) =>
    unmodeled.map(({ effect, isInSight }) =>
      isInSight ? unmodeledWords(effect) : `(${unmodeledWords(effect)})`,
    ),
  );
}
