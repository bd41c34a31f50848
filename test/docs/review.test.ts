import { expect, test } from '@jest/globals';
import { reviewText } from '../../packages/cli/src/review/review-text.ts';
import { styleFor } from '../../packages/cli/src/terminal/style.ts';
import { wrapped } from '../../packages/cli/src/terminal/wrap.ts';
import { readPlan } from '../../packages/core/src/review/plan/read-plan.ts';
import { review } from '../../packages/core/src/review/review.ts';
import { now } from '../../packages/core/test/review/graphs.ts';
import { planOfNamespaces } from '../../packages/core/test/review/plan/namespaces-plan.ts';
import { blocksOf } from './markdown.ts';

test('the report of a change in 40 namespaces is what docs/review.md shows', () => {
  const plan = planOfNamespaces({ namespaces: 40, differing: [6, 26] });
  const report = reviewText(review(readPlan(plan), { now }), styleFor({}, {}), { columns: 100 });
  const shown = blocksOf('docs/review.md').find(({ info }) => info === 'text namespaces')?.text;
  expect(wrapped(report, 100)).toBe(shown);
});
