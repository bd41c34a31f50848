import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { jsonReport } from '../../../src/review/reports/json.ts';
import { review } from '../../../src/review/review.ts';
import { change } from '../../worlds.ts';
import { now } from '../graphs.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../../../../docs/review.schema.json', import.meta.url), 'utf8'),
);
const isReport = new Ajv2020().compile(schema);

/** The JSON of a review of a change. */
function reportOf(text: string) {
  const report = jsonReport(
    review({ changes: [{ place: {}, change: change(text) }], notes: [] }, { now }),
    'error',
  );
  expect([isReport(JSON.parse(JSON.stringify(report))), isReport.errors]).toEqual([true, null]);
  return report;
}

test('each reason is an object: its kind, its data, and the words', () => {
  const { scope, access } = reportOf('+ policy new: a read\n ~ role r p → p,elsewhere');
  expect(scope.missing).toContainEqual({
    kind: 'other-principals',
    policy: 'new',
    words: 'other principals with policy new',
  });
  expect(access.flatMap(({ uncertain }) => uncertain)).toContainEqual({
    kind: 'text-missing',
    policies: ['elsewhere'],
    words: 'what policy elsewhere allows (its text is missing or unreadable)',
  });
});

test('what changes in addition to policies is an object, with both values as they are', () => {
  const { access } = reportOf('~ approle app p token_ttl: 3600 → p token_ttl: 28800\n policy p: a read');
  expect(access.flatMap(({ also }) => also)).toEqual([
    {
      about: 'lifetime',
      gains: 'none',
      losses: 'none',
      life: 'longer',
      what: {
        kind: 'setting',
        of: 'other',
        field: 'token_ttl',
        before: { value: 3600 },
        after: { value: 28_800 },
        words: 'token_ttl goes from 1h to 8h',
      },
    },
  ]);
});

test('why others get in says which bound is dropped', () => {
  const { access } = reportOf('~ role r p boundSubject: x → p boundSubject: null\n policy p: a read');
  expect(access.flatMap(({ because }) => because ?? [])).toEqual([
    expect.objectContaining({
      kind: 'dropped',
      condition: expect.objectContaining({ about: { of: 'claim', claim: 'sub' } }),
      words: 'claim sub need not be "x"',
    }),
  ]);
});

test('a limit that goes is unlimited, as JSON has no infinite number', () => {
  const people = 'roleType: oidc, allowedRedirectUris: [https://a.example/b]';
  const { access } = reportOf(
    `method ci oidc\n ~ role r p maxAge: 3600, ${people} → p maxAge: null\n policy p: a read`,
  );
  expect(JSON.parse(JSON.stringify(access.flatMap(({ because }) => because ?? [])))).toEqual([
    expect.objectContaining({
      kind: 'more',
      before: expect.objectContaining({ accepts: { kind: 'up to', most: 3600 } }),
      after: expect.objectContaining({ accepts: { kind: 'up to', most: 'unlimited' } }),
      words: 'time since the person entered a password may be any, not only 1h',
    }),
  ]);
});

test('a role of another method has its own name apart from the words, and any role of a method is said', () => {
  const roles = 'role a p groupsClaim: groups\n role b p groupsClaim: groups';
  const { access } = reportOf(
    `method ci\n ${roles}\n policy p: a read\n policy q: b read\n group g q\n + alias x ci g\n ~ approle apps/app p → q`,
  );
  expect(access).toContainEqual(
    expect.objectContaining({
      principals: {
        kind: 'other',
        method: 'apps',
        name: 'role app of apps (approle)',
        ownName: 'app',
        letsIn: 'jobs that hold a secret id of AppRole app',
      },
    }),
  );
  expect(access).toContainEqual(
    expect.objectContaining({
      principals: { kind: 'alias', method: 'ci', name: 'x', group: 'g' },
      byRoles: 'any',
    }),
  );
});
