import { describe, expect, test } from '@jest/globals';
import { declare } from '../../../src/environment/declared.ts';
import { type Environment, parseEnvironment } from '../../../src/environment/environment.ts';
import { otherRole } from '../../../src/graph/nodes/other-role.ts';
import type { Finding } from '../../../src/review/rules/finding.ts';
import { ruleOptions } from '../../../src/review/rules/rule-options.ts';
import { judgeGraph } from '../../../src/review/rules/rules.ts';

const now = BigInt(Date.parse('2026-11-23T12:00:00Z')) * 1_000_000n;
const accepted = {
  rule: 'policy-unknown',
  subject: 'role ci/build',
  because: 'made by hand',
  owner: 'ops@example.com',
  until: '2026-12-31',
};

function environment(keys: Record<string, unknown> = {}): Environment {
  return parseEnvironment({
    service: { address: 'https://secrets.example.com:8200' },
    providers: [
      {
        kind: 'jwt',
        name: 'ci',
        issuer: 'https://issuer.example.com',
        roles: [
          {
            name: 'build',
            policies: ['elsewhere'],
            boundAudiences: ['a'],
            userClaim: 'sub',
            boundSubject: 'x',
          },
        ],
      },
    ],
    policies: [{ name: 'own', policy: 'path "a" { capabilities = ["read"] }' }],
    ...keys,
  });
}

function judged(is: Environment, was?: Environment | 'unknown', at = now): Finding[] {
  return judgeGraph(declare(is), { ...ruleOptions(is, was), now: at });
}

const rulesOf = (findings: Finding[]) => findings.map(({ rule, severity }) => `${rule} ${severity}`);
const withException = (fields: object = {}) => environment({ exceptions: [{ ...accepted, ...fields }] });

describe('an exception', () => {
  test('shows the finding as a note with its owner and its end', () => {
    expect(rulesOf(judged(environment()))).toEqual(['policy-unknown warning']);
    expect(judged(withException())).toMatchObject([
      {
        rule: 'policy-unknown',
        severity: 'info',
        fix: 'Accepted until 2026-12-31 by ops@example.com: made by hand',
        exception: { severity: 'warning', owner: 'ops@example.com' },
      },
    ]);
  });

  test('counts to the end of its last day in UTC, and is an error then', () => {
    const end = BigInt(Date.parse('2027-01-01T00:00:00Z')) * 1_000_000n;
    expect(rulesOf(judged(withException(), undefined, end - 1n))).toEqual(['policy-unknown info']);
    expect(rulesOf(judged(withException(), undefined, end))).toEqual([
      'exception-invalid error',
      'policy-unknown warning',
    ]);
  });

  test.each([
    ['a year ahead', '2027-11-23', []],
    ['more than a year ahead', '2027-11-25', ['exception-invalid error']],
  ])('that ends %s', (_, until, expected) => {
    expect(rulesOf(judged(withException({ until }))).filter((one) => one.startsWith('exception'))).toEqual(
      expected,
    );
  });

  test.each([
    ['role ci/build', 'info'],
    ['role CI/build', 'info'],
    ['role build', 'warning'],
    ['role *', 'warning'],
    ['group build', 'warning'],
  ])('is for one subject by its whole name: %s', (subject, severity) => {
    expect(judged(withException({ subject })).find(({ rule }) => rule === 'policy-unknown')).toMatchObject({
      severity,
    });
  });

  test.each([
    ['role web of apps (approle)', []],
    ['role web of ci (approle)', ['exception-invalid']],
  ])('may be for a role of another method, by the name that reports have: %s', (subject, expected) => {
    const role = otherRole({ type: 'approle', method: 'apps', noun: 'role', name: 'web' }, {});
    const is = withException({ subject });
    const findings = judgeGraph({ ...declare(is), others: [role] }, { ...ruleOptions(is), now });
    expect(findings.map(({ rule }) => rule).filter((rule) => rule.startsWith('exception'))).toEqual(expected);
  });

  test('of what is not there is said, with the nearest name', () => {
    const [found] = judged(withException({ subject: 'role ci/buidl' }));
    expect(found?.message).toBe('No role ci/buidl exists; did you mean `role ci/build`?');
    expect(rulesOf(judged(withException({ subject: 'role ci/buidl' })))).toEqual([
      'exception-invalid warning',
      'policy-unknown warning',
    ]);
  });

  test.each([
    [{ until: '2026-02-29' }, 'exceptions[0].until: must be a day of the calendar'],
    [{ until: '2026-12-31T00:00:00+01:00' }, 'exceptions[0].until: must be a day of the calendar'],
    [{ until: undefined }, 'exceptions[0].until'],
    [{ subject: ' ' }, 'exceptions[0].subject: give what the finding is about'],
    [{ owner: '' }, 'exceptions[0].owner: give who answers for it'],
    [{ because: '' }, 'exceptions[0].because: give the reason'],
    [{ also: 'x' }, 'exceptions[0]'],
  ])('is not valid with %j', (fields, problem) => {
    expect(() => withException(fields)).toThrow(`gatehouse:${problem}`);
  });

  test('29 February is a day of a leap year', () => {
    expect(() => withException({ until: '2028-02-29' })).not.toThrow();
  });

  test('is given once for a rule and a subject', () => {
    expect(() => environment({ exceptions: [accepted, { ...accepted, until: '2026-12-30' }] })).toThrow(
      'exceptions[1].subject',
    );
  });

  test.each(['gate-weakened', 'exception-invalid', 'no-such-rule'])('is not for %s', (rule) => {
    expect(() =>
      parseEnvironment(
        { service: { address: 'https://x' }, exceptions: [{ ...accepted, rule }] },
        { ruleIds: ['policy-unknown'] },
      ),
    ).toThrow('there is no rule of this id');
  });
});

describe('the base revision', () => {
  test('accepts what was accepted there', () => {
    expect(rulesOf(judged(withException(), withException()))).toEqual(['policy-unknown info']);
  });

  test.each([
    ['a new exception', withException(), environment(), 'It is new: until 2026-12-31'],
    ['one for another rule', withException(), withException({ rule: 'rs256-missing' }), 'It is new'],
    ['one without a base', withException(), 'unknown', 'No base revision shows'],
  ] as const)('does not accept %s', (_, is, was, message) => {
    const found = judged(is, was);
    expect(rulesOf(found)).toEqual(['gate-weakened warning', 'policy-unknown warning']);
    expect(found[0]?.message).toContain(message);
  });

  test('gives a longer one its earlier end', () => {
    const [is, was] = [withException({ until: '2027-06-30' }), withException()];
    expect(rulesOf(judged(is, was))).toEqual(['gate-weakened warning', 'policy-unknown info']);
    const later = BigInt(Date.parse('2027-01-02T00:00:00Z')) * 1_000_000n;
    expect(rulesOf(judged(is, was, later))).toEqual(['gate-weakened warning', 'policy-unknown warning']);
  });

  test('judges by a promise that the change removes', () => {
    const promises = [{ never: ['anyone'], can: ['read'], on: 'a', because: 'audit' }];
    const own = { policies: [{ name: 'elsewhere', policy: 'path "a" { capabilities = ["read"] }' }] };
    const found = judged(environment(own), environment({ ...own, promises }));
    expect(rulesOf(found)).toContain('promise-broken error');
  });

  test('does not accept what was removed since', () => {
    expect(rulesOf(judged(environment(), withException()))).toEqual(['policy-unknown warning']);
  });

  const task = { name: 'review', url: 'https://gate.example.com', stages: ['pre_plan', 'post_plan'] };
  const asking = {
    promises: [{ never: ['anyone'], can: ['delete'], on: 'secret/*', because: 'audit' }],
    deployments: { confirm: 'whenGained', complete: true },
    runTasks: [task],
    runTaskKeys: ['review'],
  };
  test.each([
    ['a promise that is gone', { promises: [] }, 'The promise is removed.'],
    [
      'a weaker promise',
      { promises: [{ ...asking.promises[0], can: ['create'] }] },
      'The promise is removed.',
    ],
    [
      'less confirmation',
      { deployments: { confirm: 'never', complete: true } },
      'confirm: whenGained → never',
    ],
    ['less completeness', { deployments: { confirm: 'always' } }, 'no longer an error'],
    [
      'who may accept a failed task',
      { deployments: { ...asking.deployments, acceptWith: 'all' } },
      'acceptWith: none → all',
    ],
    ['a run task that is gone', { runTasks: [], runTaskKeys: [] }, 'The run task is removed.'],
    ['one with a stage less', { runTasks: [{ ...task, stages: ['pre_plan'] }] }, 'asks for less'],
    ['one elsewhere', { runTasks: [{ ...task, url: 'https://other.example.com' }] }, 'asks for less'],
    ['one that is advisory', { runTasks: [{ ...task, enforcement: 'advisory' }] }, 'asks for less'],
    ['one for other stacks', { runTasks: [{ ...task, environments: ['dev'] }] }, 'asks for less'],
    ['a rule turned off', { rules: { disabled: { 'policy-unknown': 'why' } } }, 'for the whole stack: why'],
    [
      'a known thing',
      { known: [{ kind: 'group', name: 'breakglass', because: 'security' }] },
      'It is new: security',
    ],
  ])('shows %s', (_, keys, message) => {
    const [is, was] = [environment({ ...asking, ...keys }), environment(asking)];
    const found = judged(is, was).filter(({ rule }) => rule === 'gate-weakened');
    expect(found.map((one) => one.message)).toEqual([expect.stringContaining(message)]);
    expect(judged(was, was).filter(({ rule }) => rule === 'gate-weakened')).toEqual([]);
  });
});

test('a policy that is known is not unknown', () => {
  const known = [{ kind: 'policy', name: 'elsewhere', because: 'of another team' }];
  expect(judged(environment({ known }))).toEqual([]);
});
