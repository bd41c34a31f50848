import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { reviewText } from '../../../../cli/src/review/review-text.ts';
import { reviewResult } from '../../../../cli/src/serve/outcomes.ts';
import { styleFor } from '../../../../cli/src/terminal/style.ts';
import { wrapped } from '../../../../cli/src/terminal/wrap.ts';
import type { Place } from '../../../src/review/plan/compose-change.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import {
  foldPlaces,
  placeKey,
  placesWords,
  placeWords,
  withoutPlace,
} from '../../../src/review/reports/fold-places.ts';
import { jsonReport } from '../../../src/review/reports/json.ts';
import { markdownReport } from '../../../src/review/reports/markdown.ts';
import { type ReportRow, reportRows } from '../../../src/review/reports/rows.ts';
import { findingTitle } from '../../../src/review/reports/words.ts';
import { type Review, review } from '../../../src/review/review.ts';
import { entries } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { type InNamespaces, planOfNamespaces } from '../plan/namespaces-plan.ts';
import { terraform } from '../plan/terraform.ts';
import { linesInSight } from './lines-in-sight.ts';

const reviewOf = (text: string) => review(readPlan(text), { now });
const reviewIn = (given: InNamespaces) => reviewOf(planOfNamespaces(given));
const textOf = (found: Review, all = false) =>
  wrapped(reviewText(found, styleFor({}, {}), { columns: 100, all }), 100);
const lines = (text: string) => text.split('\n').length - 1;

describe('a change in three namespaces, two of them equal', () => {
  const found = reviewIn({ namespaces: 3, differing: [1] });

  test('has a row of the two and a row of the one', () => {
    const { rows } = reportRows(found);
    expect(rows.map(({ who, same, cells }) => [who[0]?.name, same, cells[0]?.after])).toEqual([
      [
        'role ci/deploy-1',
        {
          places: [{ namespace: 'team-001' }, { namespace: 'team-003' }],
          otherPlaces: [{ namespace: 'team-002' }],
        },
        'read, update',
      ],
      ['role ci/deploy-1 in namespace "team-002"', undefined, 'delete, read'],
    ]);
  });

  test.each([
    ['terminal', (one: Review) => reviewText(one, styleFor({}, {}), { columns: 400 })],
    ['Markdown', (one: Review) => markdownReport(one).replaceAll('&quot;', '"')],
    ['outcomes', (one: Review) => JSON.stringify(reviewResult(one, 'error')).replaceAll('\\"', '"')],
  ])('is folded in the report: %s', (_, report) => {
    const text = report(found).replace(/\s+/g, ' ');
    expect(text).toContain('the same in 2 namespaces (team-001, team-003)');
    expect(text).toMatch(/differs in namespace ("|&#34;)team-002/);
  });

  test('counts every one in the headline', () => {
    expect(textOf(found)).toMatch(/^! 3 roles gain access\./);
  });

  test('stays whole as JSON', () => {
    expect(jsonReport(found, 'error').access.map(({ namespace }) => namespace)).toEqual([
      'team-001',
      'team-002',
      'team-003',
    ]);
  });
});

test.each([40, 200])('a change in %i namespaces has at most 30 lines', (namespaces) => {
  for (const roles of [1, 12]) {
    const found = reviewIn({ namespaces, roles });
    expect(lines(textOf(found))).toBeLessThanOrEqual(30);
    expect(linesInSight(markdownReport(found))).toBeLessThanOrEqual(14);
    expect(reviewResult(found, 'error').outcomes.length).toBeLessThanOrEqual(30);
    expect(textOf(found)).toContain(`! ${namespaces * roles} roles gain access.`);
  }
});

test('with --show-all every namespace is named', () => {
  const text = textOf(reviewIn({ namespaces: 40, differing: [6] }), true);
  for (let at = 1; at <= 40; at++) expect(text).toContain(`team-${String(at).padStart(3, '0')}`);
});

describe('a difference is never folded away', () => {
  const rowsOf = (text: string) => reportRows(reviewOf(terraform(entries(text)))).rows;
  /** A line for each of two namespaces, in which `#` is its name. */
  const both = (line: string) => ['a', 'b'].map((one) => line.replaceAll('#', one)).join('\n');
  const mounts = both('method@# ci namespace: #');
  const role = '+ role@# r p namespace: #';
  const two = (one: string, other: string, rest = '') =>
    rowsOf([mounts, role.replaceAll('#', 'a') + one, role.replaceAll('#', 'b') + other, rest].join('\n'));
  const policy = (rules: string) => `+ policy.# namespace: #, name: p, policy: 'path "${rules}'`;

  test('what is equal is one row', () => {
    expect(two('', '')).toHaveLength(1);
    expect(two('', '', both(policy('a" { capabilities = ["read"] }')))).toHaveLength(1);
  });

  test('a policy that changes for roles that let in others is one row: it says nothing of whom', () => {
    const text = (capability: string) => `policy: 'path "a" { capabilities = ["${capability}"] }'`;
    const roles = both('role@# r p namespace: #, bound_subject: build-#');
    const policies = both(`~ policy.# namespace: #, name: p, ${text('read')} → ${text('list')}`);
    expect(rowsOf(`${mounts}\n ${roles}\n ${policies}`)).toHaveLength(1);
  });

  test.each([
    ['bounds', ', bound_subject: x', ', bound_subject: y'],
    ['a sign-in that shows it', ', bound_audiences: [x]', ', bound_audiences: [y]'],
    ['policies', '', ', token_policies: [p, q]'],
  ])('of %s', (_, one, other) => {
    const rows = two(one, other);
    expect(rows.flatMap(({ who, same }) => who.map(({ name }) => [name, same]))).toEqual([
      ['role ci/r in namespace "a"', undefined],
      ['role ci/r in namespace "b"', undefined],
    ]);
  });

  test.each([
    [600, 1],
    [601, 2],
  ])('of a lifetime: 600 and %i', (other, count) => {
    const lives = (at: string, ttl: number) =>
      `~ role@${at} r p namespace: ${at}, token_ttl: 60 → token_ttl: ${ttl}`;
    expect(rowsOf(`${mounts}\n ${lives('a', 600)}\n ${lives('b', other)}`)).toHaveLength(count);
  });

  test('of the text of a policy that only one has', () => {
    const rows = two('', '', policy('*" { capabilities = ["sudo", "update"] }').replaceAll('#', 'a'));
    expect(rows).toHaveLength(2);
    expect(rows[0]?.errors.length).toBeGreaterThan(0);
  });

  test('of an exception', () => {
    const found = reviewIn({ namespaces: 2 });
    const [first] = found.findings;
    if (first === undefined) throw new Error('no finding');
    const exception = { because: 'known', owner: 'ops', until: '2027-01-01', severity: 'warning' } as const;
    const findings = found.findings.map((one) => (one === first ? { ...one, exception } : one));
    const { findings: shown, repeated } = reportRows({ ...found, findings });
    expect([...shown, ...repeated].map((one) => [findingTitle(one, found.tool), one.exception])).toEqual([
      ['text of policy shop in namespace "team-001"', exception],
      ['text of policy shop in namespace "team-002"', undefined],
    ]);
  });
});

describe('names of places', () => {
  test.each<[Place[], string]>([
    [[{}], ' in the root namespace'],
    [[{ namespace: 'a' }], ' in namespace "a"'],
    [[{}, { namespace: 'a b' }], ' in 2 namespaces (the root, "a b")'],
    [[{ server: 's', namespace: 'a' }, { server: 's' }], ' in 2 namespaces on s (a, the root)'],
    [[{ server: 's' }, { server: 't' }], ' in 2 namespaces (the root on s, the root on t)'],
  ])('of %j', (places, words) => {
    expect(placesWords(places)).toBe(words);
  });
});

const place = fc.record(
  { namespace: fc.constantFrom('a', 'b', 'c'), server: fc.constantFrom('s', 't') },
  { requiredKeys: [] },
);

test('folding loses nothing, adds nothing, and unites only what is equal at different places', () => {
  const items = fc.array(fc.tuple(place, fc.constantFrom('x', 'y', '')), { maxLength: 20 });
  fc.assert(
    fc.property(items, (all) => {
      const folded = foldPlaces(
        all,
        ([at]) => at,
        ([, content]) => content,
      );
      expect(new Set(folded.flat())).toEqual(new Set(all));
      expect(folded.flat()).toHaveLength(all.length);
      for (const group of folded) {
        expect(new Set(group.map(([at]) => placeKey(at))).size).toBe(group.length);
        expect(new Set(group.map(([, content]) => content)).size).toBe(1);
      }
    }),
  );
});

describe('unfolding', () => {
  const texts = ['', 'path "a/*" { capabilities = ["read"] }', 'path "a/*" { capabilities = ["update"] }'];
  const side = fc.option(
    fc.record({
      text: fc.constantFrom(...texts),
      policies: fc.subarray(['p', 'admin']),
      ttl: fc.constantFrom(60, 600),
    }),
    { nil: null },
  );
  const change = fc.record({ before: side, after: side });
  type Drawn = { before: Side | null; after: Side | null };
  type Side = { text: string; policies: string[]; ttl: number };
  const entriesOf = ({ before, after }: Drawn, namespace: string) => {
    if (before === null && after === null) return [];
    const [sign, sides] = before && after ? ['~', [before, after]] : [before ? '-' : '+', [before ?? after]];
    const line = (what: string, fields: (one: Side) => string) =>
      `${sign} ${what} namespace: ${namespace}, ${sides.map((one) => one && fields(one)).join(' → ')}`;
    const text = (one: Side) => `name: p, policy: ${JSON.stringify(one.text)}`;
    const lived = ({ policies, ttl }: Side) => `token_policies: [${policies}], token_ttl: ${ttl}`;
    return entries(`
      method@${namespace} ci accessor: ${namespace}, namespace: ${namespace}
      ${line(`policy.${namespace}`, text)}
      ${line(`role@${namespace}-r r`, lived)}
      ${line(`role@${namespace}-s s`, lived)}`);
  };
  /** What is said of each principal at each place. */
  const described = (rows: ReportRow[]) =>
    rows
      .flatMap(({ who, same, sign, why, cells, gains, losses, errors }) =>
        who.flatMap(({ name, details }) =>
          (same?.places ?? [undefined]).map((at) =>
            JSON.stringify([
              name + (at === undefined ? '' : placeWords(at)),
              [...details, ...why],
              sign,
              cells,
              gains,
              losses,
              errors.map(({ rule, message }) => [rule, message]),
            ]),
          ),
        ),
      )
      .sort();

  test('gives the rows of each namespace back', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 2, maxLength: 5 }), (drawn) => {
        const parts = drawn.map((one, at) => entriesOf(one, `n${at}`));
        const whole = reviewOf(terraform(parts.flat()));
        const alone = parts.map((part) => reviewOf(terraform(part)));
        expect(described(reportRows(whole).rows)).toEqual(
          alone.flatMap((one) => described(reportRows(one).rows)).sort(),
        );
      }),
      { numRuns: isIn('npm test') ? 10 : 40 },
    );
  });

  test('gives the findings back', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 2, maxLength: 5 }), (drawn) => {
        const found = reviewOf(terraform(drawn.flatMap((one, at) => entriesOf(one, `n${at}`))));
        const { findings, repeated, rows } = reportRows(found);
        const shown = new Set(rows.flatMap(({ errors }) => errors.map(({ message }) => message)));
        const text = ({ address: _, ...one }: Review['findings'][number]) =>
          JSON.stringify([placeKey(one), withoutPlace(one)]);
        const unfolded = [...findings, ...repeated].flatMap(({ places, ...one }) =>
          places === undefined ? [text(one)] : places.map((at) => text({ ...one, ...at })),
        );
        const left = found.findings.filter((one) => !shown.has(one.message)).map(text);
        expect(left.filter((one) => !unfolded.includes(one))).toEqual([]);
        expect(unfolded.length).toBeGreaterThanOrEqual(left.length);
        expect(unfolded.length).toBeLessThanOrEqual(found.findings.length);
      }),
      { numRuns: isIn('npm test') ? 10 : 40 },
    );
  });
});
