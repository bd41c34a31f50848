import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { root } from '../../../../../test/harness/environment-under-test.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { markdownReport } from '../../../src/review/reports/markdown.ts';
import { type Review, review } from '../../../src/review/review.ts';
import { change } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { rolesAndGroupsPlan } from '../large-plans.ts';
import { linesInSight } from './lines-in-sight.ts';

const reviewOf = (plan: string) => review(readPlan(plan), { now });
const reviewOfFile = (file: string) => reviewOf(readFileSync(`${root}/${file}`, 'utf8'));
const reviewOfChange = (text: string) =>
  review({ changes: [{ place: {}, change: change(text) }], notes: [] }, { now });
const everyday = (id: string) => reviewOfFile(`packages/core/test/review/cases/terraform/${id}.json`);

const ci = 'method ci jwksUrl: https://ci.example/keys';
const texts = 'policy shop: secret/data/shop/* read\n policy pay: secret/data/pay/* read,update';

/** Changes of every day, and whether anyone gains by them. */
const changes: [what: string, found: () => Review][] = [
  ['a group is made for a team', () => everyday('r-01-onboard')],
  ['a group of a method elsewhere is made', () => everyday('r-02-onboard-other-workspace')],
  ['a policy gets a path more', () => everyday('r-05-database-role')],
  ['an AppRole with a secret id is made', () => everyday('r-07-approle-app')],
  ['a user is made', () => everyday('r-15-userpass')],
  ['a text is known after apply', () => everyday('r-14-policy-known-at-apply')],
  ['a bound claim is gone', () => reviewOfFile('examples/plans/opentofu-plan.json')],
  ['much at once', () => reviewOfFile('examples/plans/terraform-plan.json')],
  ['a method is replaced', () => reviewOfFile('examples/plans/pulumi-preview.json')],
  ['a role is renamed', () => reviewOfChange(`${ci}\n ${texts}\n - role build shop\n + role builder shop`)],
  ['forty roles are made', () => reviewOf(JSON.stringify(rolesAndGroupsPlan(40, 6).plan()))],
];

describe.each(changes)('where %s', (_, found) => {
  test('a comment has at most 14 lines between its answer and the folds', () => {
    expect(linesInSight(markdownReport(found(), 'prod'))).toBeLessThanOrEqual(14);
  });

  test('every rule with an error is named above the folds', () => {
    const judged = found();
    const [inSight] = markdownReport(judged).split('<details');
    for (const { rule, severity } of judged.findings)
      if (severity === 'error') expect(inSight).toContain(rule);
  });
});

test('the worst finding stands below the answer, once for all that it is about', () => {
  const [heading, , worst, ...others] = markdownReport(
    reviewOfFile('examples/plans/terraform-plan.json'),
  ).split('\n');
  expect(heading).toContain('✗ 4 errors.');
  expect(worst).toMatch(/^⛔ \*\*role ci\/deploy, group on-call\*\*: This makes them administrators/);
  expect(others.join('\n')).not.toContain('This makes them administrators');
});

test('a group that a role leads into is named with who is in it, and with its paths', () => {
  const text = markdownReport(
    reviewOfChange(`${ci}\n ${texts}\n group pay pay\n alias /pay ci pay
      ~ role build shop groupsClaim: groups, boundSubject: a → groupsClaim: groups, boundSubject: null`),
  );
  expect(text).toContain('gains: pay by group pay (people in "/pay")');
  expect(text).toContain('now <code>read, update secret/data/pay/&#42; by group pay</code>');
});

test('people who are in a group by either of two aliases are joined by "or"', () => {
  const text = markdownReport(
    reviewOfChange(`${ci}\n ${texts}\n role build shop groupsClaim: groups
      group pay pay\n + alias /pay ci pay\n + alias /payments ci pay`),
  );
  expect(text).toMatch(/people in "\/pay" by role ci\/build, or people in "\/payments" by role ci\/build/);
});

test('a principal that is not in sight as a whole has a fold with all that it gains', () => {
  const folds = markdownReport(reviewOfFile('examples/plans/terraform-plan.json')).split('<details').slice(1);
  const fold = folds.find((text) => text.includes('<b>Everything that role ci/build gains</b>'));
  expect(fold).toContain('any ref of project like shop/&#42;');
});

test('errors that do not fit above the folds are counted there, and stand in a fold that is open', () => {
  const error = { severity: 'error', fix: 'Fix it.', docs: '' } as const;
  const findings = Array.from({ length: 9 }, (_, at) => ({
    ...error,
    rule: `rule-${at}`,
    message: `Wrong ${at}.`,
    subject: { type: 'policy' as const, name: `p${at}` },
  }));
  const [inSight, first] = markdownReport({ ...reviewOfChange(ci), findings }).split('<details');
  expect(inSight).toContain('⛔ 4 more errors: rule-5, rule-6, rule-7, rule-8');
  expect(first).toMatch(/^ open><summary><b>4 more errors<\/b>/);
});

test('older findings are listed, folded', () => {
  const text = markdownReport(reviewOfFile('examples/plans/opentofu-plan.json'));
  expect(text).toMatch(/<b>3 older findings, there before this change<\/b>.*redirect-uri-missing/s);
});

test('what was not checked is counted, with how to check it', () => {
  const text = markdownReport(everyday('r-01-onboard'));
  expect(text).toContain('<b>Not checked: 3 things, and how to check it</b>');
  expect(text).toContain(
    'To check what is elsewhere, add a snapshot of the service (<code>--snapshot</code>)',
  );
});
