import { describe, expect, test } from '@jest/globals';
import { declare } from '../../src/environment/declared.ts';
import { endsOf, endWords } from '../../src/environment/ends.ts';
import { parseEnvironment } from '../../src/environment/environment.ts';
import { subjectName } from '../../src/graph/subject.ts';
import { parseInstant } from '../../src/graph/values/instant.ts';
import { givenEnvironment, givenProvider, problemsOf } from './environment-fixture.ts';

const day = '2026-12-31';
const text = 'path "a" { capabilities = ["read"] }';
const given = (fields: object = {}) =>
  givenEnvironment(
    [
      givenProvider('source_hosting', {
        roles: [{ name: 'Reader', until: day }, { name: 'other' }],
        groups: [{ name: 'admins', alias: 'owners', until: day }],
      }),
    ],
    { policies: [{ name: 'read', policy: text, until: { a: day } }], ...fields },
  );
const service = (features: object) => ({ service: { address: 'https://secrets.example.com', features } });

describe('endsOf', () => {
  test('has roles, aliases and rules of policies, none of which the service ends by itself', () => {
    const end = { until: day, isEnforced: false };
    expect(endsOf(parseEnvironment(given()))).toEqual([
      { ...end, subject: { type: 'role', name: 'reader', method: 'it', field: 'until' } },
      { ...end, subject: { type: 'alias', name: 'owners', method: 'it', field: 'until' } },
      { ...end, subject: { type: 'policy', name: 'read', field: 'until' }, pattern: 'a' },
    ]);
  });

  test('knows where the service ends rules of policies', () => {
    const ends = endsOf(parseEnvironment(given(service({ expiration: true }))));
    expect(ends.map(({ isEnforced }) => isEnforced)).toEqual([false, false, true]);
  });

  test('has a role for each of several clusters', () => {
    const clusters = ['a', 'b'].map((name) => ({ name, issuer: `https://${name}.example.com` }));
    const roles = [{ name: 'web', namespace: 'shop', serviceAccount: 'web', until: day }];
    const provider = { kind: 'container_orchestrator', name: 'k8s', clusters, roles };
    const ends = endsOf(parseEnvironment(givenEnvironment([provider])));
    expect(ends.map(({ subject }) => subjectName(subject))).toEqual(['role k8s-a/web', 'role k8s-b/web']);
  });
});

describe('the declared graph', () => {
  test('has nothing of the ends of roles and aliases', () => {
    const graph = declare(parseEnvironment(given()));
    expect(JSON.stringify(graph)).not.toMatch(/until|2026/);
    expect(graph.policies).toEqual([{ name: 'read', text }]);
  });

  test('has an expiration in the policy where the service takes one', () => {
    const [policy] = declare(parseEnvironment(given(service({ expiration: true })))).policies;
    expect(policy?.text).toContain('expiration = "2026-12-31T23:59:59Z"');
  });
});

describe('endWords', () => {
  const subject = { type: 'role', name: 'reader', method: 'it' } as const;
  const rule = { subject, pattern: 'a', until: day, isEnforced: true };
  const wordsOf = (end: object, now: string) =>
    endWords({ ...rule, ...end }, parseInstant(`${now}T12:00:00Z`) ?? 0n);
  test.each([
    [{}, '2026-12-22', 'the rule for "a" ends in 9 days, on 2026-12-31'],
    [{}, '2026-12-30', 'the rule for "a" ends in 1 day, on 2026-12-31'],
    [{}, '2026-12-31', 'the rule for "a" ends today, on 2026-12-31'],
    [{}, '2027-01-01', 'the rule for "a" ended on 2026-12-31'],
    [
      { pattern: undefined, isEnforced: false },
      '2026-12-22',
      'it should end in 9 days, on 2026-12-31; the service does not enforce it',
    ],
    [
      { pattern: undefined, isEnforced: false },
      '2027-01-01',
      'it should have ended on 2026-12-31; the service does not enforce it',
    ],
  ])('%j on %s', (end, now, words) => {
    expect(wordsOf(end, now)).toBe(words);
  });
});

describe('an environment with an end that cannot be', () => {
  const provider = (settings: object) => givenEnvironment([givenProvider('source_hosting', { ...settings })]);
  const policy = (until: unknown) => givenEnvironment([], { policies: [{ name: 'a', policy: text, until }] });
  test.each<[string, Record<string, unknown>, string]>([
    [
      'a 29 February that is none',
      provider({ roles: [{ name: 'a', until: '2026-02-29' }] }),
      'gatehouse:providers[0].roles[0].until: must be a day of the calendar, as 2026-12-31; it ends with that day in UTC',
    ],
    [
      'a map for a role',
      provider({ roles: [{ name: 'a', until: { a: day } }] }),
      'gatehouse:providers[0].roles[0].until: must be text, not a map',
    ],
    [
      'a group without an alias',
      provider({ groups: [{ name: 'a', until: day }] }),
      'gatehouse:providers[0].groups[0].until: it is the last day of the alias, and the group has none',
    ],
    [
      'a group of groups',
      givenEnvironment([givenProvider('source_hosting', { groups: [{ name: 'b' }] })], {
        groups: [{ name: 'a', members: ['b'], until: day }],
      }),
      'gatehouse:groups[0]: unknown key `until`',
    ],
    ['one day for a whole policy', policy(day), 'gatehouse:policies[0].until: must be a map, not text'],
    [
      'a pattern that is no rule',
      policy({ b: day }),
      'gatehouse:policies[0].until.b: the policy has no rule path "b" { … }',
    ],
    [
      'no day for a rule',
      policy({ a: '2026-02-29' }),
      'gatehouse:policies[0].until.a: must be a day of the calendar, as 2026-12-31; it ends with that day in UTC',
    ],
  ])('is refused: %s', (_, environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(problem)]);
  });

  test('a day that is over is none of them: it is a finding', () => {
    expect(problemsOf(provider({ roles: [{ name: 'a', until: '2001-01-01' }] }))).toEqual([]);
  });
});
