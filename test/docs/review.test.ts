import { expect, test } from '@jest/globals';
import { reviewText } from '../../cli/rendering/review-text.ts';
import { styleFor } from '../../cli/rendering/style.ts';
import { wrapped } from '../../cli/rendering/wrap.ts';
import { readPlan } from '../../core/review/plan/read-plan.ts';
import { review } from '../../core/review/review.ts';
import { now } from '../core/review/graphs.ts';
import { planOfNamespaces } from '../core/review/plan/namespaces-plan.ts';
import { blocksOf } from './markdown.ts';

test('the report of a change in 40 namespaces is what docs/review.md shows', () => {
  const plan = planOfNamespaces({ namespaces: 40, differing: [6, 26] });
  const report = reviewText(review(readPlan(plan), { now }), styleFor({}, {}), { columns: 100 });
  const shown = blocksOf('docs/review.md').find(({ info }) => info === 'text namespaces')?.text;
  expect(wrapped(report, 100)).toBe(shown);
});
