import { accessBundles, kindWords, principalWords, verdictWords } from '../../core/review/reports/words.ts';
import type { Review } from '../../core/review/review.ts';

/** Lines that a person reads before they confirm; the review of the plan has them all. */
const most = 40;

/** Who gains what by a plan, or why that cannot be judged, for whoever is to confirm it. */
export function gainedTexts(review: Review): string[] {
  const gains = review.access.filter((change) => change.gains !== 'none');
  const lines = accessBundles(gains).flatMap(({ kind, changes, effect }) => [
    ...changes.map((change) => `${kindWords[kind]}: ${principalWords(change)}`),
    ...effect.map(({ about, text }) => `  ${about}: ${text}`),
  ]);
  const more = lines.length > most ? [`… and ${lines.length - most} more`] : [];
  return [verdictWords(review), ...lines.slice(0, most), ...more].map((line) => line.replace(/\s+$/g, ''));
}
