import { describe, expect, test } from '@jest/globals';
import { reviewText } from '../../../../cli/src/review/review-text.ts';
import { declaredResult } from '../../../../cli/src/serve/outcomes.ts';
import { styleFor } from '../../../../cli/src/terminal/style.ts';
import { findingTitle, headline, verdictWords } from '../../../src/review/reports/words.ts';
import { type Review, review } from '../../../src/review/review.ts';
import type { Severity } from '../../../src/review/rules/finding.ts';
import { change, comparison, now } from '../graphs.ts';
import { jwtMethod, jwtRole } from '../rules/graph-fixture.ts';

const reviewOf = (ttl: number, policies: string[] = ['p']): Review => {
  const graph = (of: object) => ({
    methods: [jwtMethod()],
    roles: [jwtRole({ policies, ...of })],
    policies: [{ name: 'p', text: 'path "a" { capabilities = ["read"] }' }],
  });
  return review(comparison(change(graph({ ttl: 3600 }), graph({ ttl }))), { now });
};

test.each<[string, Severity[], Severity, string, string]>([
  ['nothing found', [], 'error', 'passed', '✓ The stack passes its rules. Access is judged after planning.'],
  [
    'a warning',
    ['warning'],
    'error',
    'passed',
    '! The stack passes its rules. Access is judged after planning.',
  ],
  [
    'a warning that fails it',
    ['warning'],
    'warning',
    'failed',
    '! The stack does not pass its rules. Access is judged after planning.',
  ],
  [
    'errors',
    ['error', 'error', 'info'],
    'error',
    'failed',
    '✗ 2 errors. The stack does not pass its rules. Access is judged after planning.',
  ],
])('before planning: %s', (_, severities, failOn, status, message) => {
  const findings = severities.map((severity, at) => ({
    rule: 'no-audience',
    severity,
    message: 'It is wide.',
    fix: 'Bind it.',
    subject: { type: 'service' as const, name: `service ${at}` },
    docs: 'docs/rules.md#no-audience',
  }));
  const result = declaredResult(findings, failOn);
  expect(result).toMatchObject({ status, message });
  expect(result.outcomes).toHaveLength(severities.length);
});

test('of a service that was read, what no one has is said with what was not read', () => {
  const none = reviewOf(3600);
  const read = { ...none, gains: 'none' as const, missing: [], scope: { ...none.scope, whole: true } };
  expect(verdictWords({ ...read, over: { ...none.over, roles: 2, groups: 1, paths: 0 } })).toBe(
    'No one gains or loses access (every way to a token of this service checked: 2 roles, 1 group; not tokens made by hand).',
  );
});

test('tokens that live longer are no gain of access', () => {
  const found = { ...reviewOf(7200), missing: [], scope: { ...reviewOf(7200).scope, complete: true } };
  expect(found).toMatchObject({ gains: 'none', life: 'longer' });
  expect(verdictWords(found)).toMatch(
    /^No one gains or loses access by policies, groups or sign-in \(1 role, .*Tokens of role .* last longer\.$/,
  );
});

test('what is accepted is counted and shown, whatever else there is', () => {
  const { findings, ...found } = reviewOf(7200);
  const [one] = findings;
  if (one === undefined) throw new Error('it has a finding');
  const exception = { because: 'x', owner: 'ops', until: '2099-01-01', severity: 'warning' as const };
  const accepted = { ...one, severity: 'info' as const, message: 'Accepted.', exception };
  const warnings = Array.from({ length: 9 }, () => ({ ...one, rule: 'sticky-field' }));
  const whole = { ...found, findings: [...warnings, accepted] };
  expect(headline(whole)).toContain('1 finding accepted by exceptions.');
  expect(reviewText(whole, styleFor({}, {}))).toContain('Accepted.');
});

test.each(['error', 'warning'] as const)(
  'what is not known is said where no cell says it: %s',
  (severity) => {
    const found = reviewOf(3600, ['p']);
    const access = reviewOf(7200).access.map((one) => ({ ...one, gains: 'unknown' as const }));
    const { method, name } = access[0]?.principals ?? { method: '', name: '' };
    const finding = {
      rule: 'cannot-be-judged',
      severity,
      message: 'The policies are unknown.',
      fix: 'Ask.',
      subject: { type: 'role' as const, name, method, field: 'policies' },
      docs: '',
    };
    const text = reviewText({ ...found, access, findings: [finding] }, styleFor({}, {}));
    expect(text).toContain('The policies are unknown.');
  },
);

describe('one policy that gives more', () => {
  const headlineOf = (roles: string[], rules: string[] = [], other = '') => {
    const graph = (rules: string) => ({
      methods: [jwtMethod()],
      roles: roles.map((name) => jwtRole({ name, policies: ['p', 'q'] })),
      policies: [
        { name: 'p', text: `path "s/*" { capabilities = ["read", "list"] } ${rules}` },
        { name: 'q', text: rules === '' ? other : '' },
      ],
    });
    const changed = change(graph(['path "s/db" { capabilities = ["read"] }', ...rules].join(' ')), graph(''));
    return verdictWords(review(comparison(changed), { now }));
  };

  test('is named first, with who gains', () => {
    expect(headlineOf(['a', 'b'])).toBe('1 policy gives more: role ci/a and role ci/b gain.');
    expect(headlineOf(['a', 'b', 'c'])).toBe('1 policy gives more: 3 roles gain.');
  });

  test('is not named of one role, with losses, or where another gives more, too', () => {
    expect(headlineOf(['a'])).toBe('1 role gains access.');
    expect(headlineOf(['a', 'b'], ['path "t" { capabilities = ["read"] }'])).toBe(
      '2 roles gain access, 2 lose it.',
    );
    expect(headlineOf(['a', 'b'], [], 'path "t" { capabilities = ["read"] }')).toBe('2 roles gain access.');
  });
});

test('a finding names the field as the plan does', () => {
  const subject = { type: 'role', name: 'r', method: 'staff', field: 'policies' } as const;
  const finding = { rule: 'x', severity: 'warning', message: '', fix: '', docs: '', subject } as const;
  expect(findingTitle(finding, 'terraform')).toBe('token_policies of role staff/r');
  expect(findingTitle(finding, 'pulumi')).toBe('policies of role staff/r');
  const policy = { ...finding, subject: { type: 'policy', name: 'shop', field: 'text' } } as const;
  expect(findingTitle(policy, 'terraform')).toBe('text of policy shop');
  const method = {
    ...finding,
    subject: { type: 'method', name: 'staff', field: 'oidcClientSecret' },
  } as const;
  expect(findingTitle(method, 'terraform')).toBe('oidc_client_secret of method staff');
  expect(findingTitle(method, 'gatehouse')).toBe('oidcClientSecret of method staff');
});
