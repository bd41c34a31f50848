import { expect, test } from '@jest/globals';
import { reviewText } from '../../../../cli/src/review/review-text.ts';
import { styleFor } from '../../../../cli/src/terminal/style.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { jsonReport } from '../../../src/review/reports/json.ts';
import { sarifReport } from '../../../src/review/reports/sarif.ts';
import { review } from '../../../src/review/review.ts';
import { now } from '../graphs.ts';
import { rolesAndGroupsPlan } from '../large-plans.ts';

/** The review of one method with as many groups as roles. */
function reviewOf(length: number) {
  return review(readPlan(JSON.stringify(rolesAndGroupsPlan(length, length).plan())), { now });
}

/** How long each report is that lists everything: longer for each thing that it repeats. */
function lengthsOf(length: number): [format: string, length: number][] {
  const judged = reviewOf(length);
  const positionOf = () => ({ file: 'Pulumi.dev.yaml', line: 3, column: 5 });
  const texts = {
    terminal: reviewText(judged, styleFor({}, {}), { columns: 1_000, all: true }),
    json: JSON.stringify(jsonReport(judged, 'error')),
    sarif: JSON.stringify(sarifReport(judged, { version: '1.0.0', positionOf })),
  };
  return Object.entries(texts).map(([format, text]) => [format, text.length]);
}

test('reports of twice the roles and groups are twice as long', () => {
  const small = new Map(lengthsOf(40));
  const longer = lengthsOf(80).filter(([format, length]) => length > 2.3 * (small.get(format) ?? 0));
  expect(longer).toEqual([]);
});

test('the JSON lists the groups of a method once, however many roles lead to them', () => {
  const { access, groupLists } = jsonReport(reviewOf(40), 'error');
  expect(groupLists.map(({ length }) => length)).toEqual([40]);
  expect(access.filter(({ groups }) => groups === 0).length).toBeGreaterThan(20);
});
