import { expect, test } from '@jest/globals';
import { readPlan } from '../../../core/src/review/plan/read-plan.ts';
import { review } from '../../../core/src/review/review.ts';
import { now } from '../../../core/test/review/graphs.ts';
import { rolesAndGroupsPlan } from '../../../core/test/review/large-plans.ts';
import { reviewText } from '../../src/review/review-text.ts';
import { styleFor } from '../../src/terminal/style.ts';

const rolesOf = (text: string) => text.split('\n').filter((line) => /^[-+~?] role /.test(line)).length;

test('a review of many roles shows fifteen rows, and counts the others', () => {
  const found = review(readPlan(JSON.stringify(rolesAndGroupsPlan(40, 6).plan())), { now });
  const text = reviewText(found, styleFor({}, {}));
  expect(rolesOf(text)).toBe(15);
  expect(text).toMatch(/Hidden: \d+ more rows/);
  expect(rolesOf(reviewText(found, styleFor({}, {}), { all: true }))).toBe(60);
});
