import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../../../test/harness/environment-under-test.ts';
import { reviewText } from '../../../../cli/src/review/review-text.ts';
import { styleFor } from '../../../../cli/src/terminal/style.ts';
import { wrapped } from '../../../../cli/src/terminal/wrap.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { markdownReport } from '../../../src/review/reports/markdown.ts';
import { review } from '../../../src/review/review.ts';
import { now } from '../graphs.ts';

const cases = `${root}/packages/core/test/review/cases`;
const samples = `${root}/examples/plans`;
const expected: Record<string, Record<string, { lines?: number }>> = JSON.parse(
  readFileSync(`${cases}/expected.json`, 'utf8'),
);
const everyday = Object.entries(expected['terraform'] ?? {}).filter(([id]) => id.startsWith('r-'));

/** Plans whose reports are kept as people read them. After a change: GATEHOUSE_WRITE_GOLDEN=1 npm test -- golden. */
const plans: [id: string, file: string][] = [
  ...everyday.map(([id]): [string, string] => [id, `${cases}/terraform/${id}.json`]),
  ...['terraform-plan', 'pulumi-preview'].map((id): [string, string] => [id, `${samples}/${id}.json`]),
  ...[
    'S00-workspaces-split',
    'Sa14-cidr-union-same',
    'Sb03-entity-deny-dropped',
    'Sh12-expiration-extended',
    'T02-groups-claim-swapped',
    'T04-bound-removed-from-group-reading-role',
    'T106-mount-deleted-role-left',
    'T74-policy-exact-under-glob-removed',
  ].map((id): [string, string] => [id, `${cases}/terraform/${id}.json`]),
  ...['P06-command-and-dynamic-resources', 'P08-role-moves-between-servers', 'P12-policy-plus-to-star'].map(
    (id): [string, string] => [id, `${cases}/pulumi/${id}.json`],
  ),
];
const folder = new URL('golden/', import.meta.url);
const found = (file: string) => review(readPlan(readFileSync(file, 'utf8')), { now });
const terminal = (file: string, columns: number) =>
  wrapped(reviewText(found(file), styleFor({}, {}), { columns }), columns);

describe.each(plans)('the report of %s', (id, file) => {
  test.each([
    ['txt', () => terminal(file, 100)],
    ['md', () => markdownReport(found(file), 'prod')],
  ])('is as kept: %s', (extension, report) => {
    const golden = new URL(`${id}.${extension}`, folder);
    if (process.env['GATEHOUSE_WRITE_GOLDEN'] === '1' || (!existsSync(golden) && !process.env['CI'])) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(golden, report());
    }
    expect(report()).toBe(readFileSync(golden, 'utf8'));
  });

  test.each([60, 80, 100, 120])('fits into %i columns', (columns) => {
    const longest = Math.max(
      ...terminal(file, columns)
        .split('\n')
        .map((line) => line.length),
    );
    expect(longest).toBeLessThanOrEqual(columns);
  });
});

test.each(everyday)('the report of %s has no more lines than it may', (id, { lines = 0 }) => {
  const text = reviewText(found(`${cases}/terraform/${id}.json`), styleFor({}, {}));
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(lines);
  expect(terminal(`${cases}/terraform/${id}.json`, 100).trimEnd().split('\n').length).toBeLessThanOrEqual(24);
});
