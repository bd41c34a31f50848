import { describe, expect, test } from '@jest/globals';
import type { End } from '../../../src/environment/ends.ts';
import { parseInstant } from '../../../src/graph/values/instant.ts';
import { review } from '../../../src/review/review.ts';
import type { RuleOptions } from '../../../src/review/rules/rule-options.ts';
import { judgeChange, judgeGraph } from '../../../src/review/rules/rules.ts';
import { change as changeOf, comparison, graphOf } from '../graphs.ts';
import { jwtRole } from './graph-fixture.ts';

const at = (text: string) => parseInstant(text) ?? 0n;
const now = at('2026-12-22T12:00:00Z');
const web: End = {
  subject: { type: 'role', name: 'web', method: 'ci', field: 'until' },
  until: '2026-12-31',
  isEnforced: false,
};
const rule: End = {
  subject: { type: 'policy', name: 'deploy', field: 'until' },
  pattern: 'secret/a',
  until: '2026-12-31',
  isEnforced: true,
};
const role = { roles: [jwtRole({ name: 'web' })] };
const policy = (...paths: string[]) => ({
  policies: [
    { name: 'deploy', text: paths.map((path) => `path "${path}" { capabilities = ["read"] }`).join('\n') },
  ],
});
const short = ({ rule, severity, message }: { rule: string; severity: string; message: string }) =>
  [rule, severity, message].join(': ');
const ofRules = (rules: RegExp) => (found: { rule: string }) => rules.test(found.rule);
const standing = (end: End, instant: string) =>
  judgeGraph(graphOf(role), { ends: [end], now: at(instant) })
    .filter(ofRules(/^end/))
    .map(short);

describe('an end', () => {
  test.each([
    ['2026-12-16T23:59:59Z', []],
    [
      '2026-12-17T00:00:00Z',
      ['ends-soon: warning: It should end in 14 days, on 2026-12-31; the service does not enforce it.'],
    ],
    [
      '2026-12-31T23:59:59Z',
      ['ends-soon: warning: It should end today, on 2026-12-31; the service does not enforce it.'],
    ],
    [
      '2027-01-01T00:00:00Z',
      ['ended: error: It should have ended on 2026-12-31; the service does not enforce it.'],
    ],
  ])('that no service enforces, at %s', (instant, found) => {
    expect(standing(web, instant)).toEqual(found);
  });

  test.each([
    ['2026-12-22T00:00:00Z', ['ends-soon: warning: The rule for "secret/a" ends in 9 days, on 2026-12-31.']],
    ['2027-01-01T00:00:00Z', ['ended: info: The rule for "secret/a" ended on 2026-12-31.']],
  ])('that the service enforces, at %s', (instant, found) => {
    expect(standing(rule, instant)).toEqual(found);
  });

  test('is not judged where the time is not known', () => {
    expect(judgeGraph(graphOf(role), { ends: [{ ...web, until: '2001-01-01' }] })).toEqual(
      judgeGraph(graphOf(role)),
    );
  });

  test.each(['2026-12-31', '2026-12-01'])('on %s is told in a review that does not bring it', (until) => {
    const { findings } = review(comparison(changeOf(role, role)), { now, ends: [{ ...web, until }] });
    expect(findings.filter(ofRules(/^end/))).toHaveLength(1);
  });
});

const changed = (before: object, after: object, options: Partial<RuleOptions>) =>
  judgeChange(changeOf(before, after), { now, ...options })
    .filter(ofRules(/^until-/))
    .map(short);
const later = { ...web, until: '2027-03-31' };
const finding = 'until-set: info: It should end in 99 days, on 2027-03-31; the service does not enforce it.';

describe('a change', () => {
  test('of a plan tells until when the roles last that it makes or alters', () => {
    expect(changed({}, role, { ends: [later] })).toEqual([finding]);
    expect(changed({ roles: [jwtRole({ name: 'web', ttl: 1 })] }, role, { ends: [later] })).toEqual([
      finding,
    ]);
    expect(changed(role, role, { ends: [later] })).toEqual([]);
    expect(changed(role, {}, { ends: [later] })).toEqual([]);
  });

  test('between two environments tells which ends are other ones', () => {
    expect(changed(role, role, { ends: [later], endsBefore: [] })).toEqual([finding]);
    expect(changed(role, role, { ends: [later], endsBefore: [later] })).toEqual([]);
    expect(changed({}, role, { ends: [later], endsBefore: [later] })).toEqual([]);
  });

  test('that moves an end out, or takes it away, is a warning', () => {
    expect(changed(role, role, { ends: [later], endsBefore: [web] })).toEqual([
      'until-later: warning: It ends on 2027-03-31, not on 2026-12-31.',
      finding,
    ]);
    expect(changed(role, role, { ends: [], endsBefore: [web] })).toEqual([
      'until-later: warning: It no longer ends on 2026-12-31.',
    ]);
    expect(changed(role, role, { ends: [web], endsBefore: [later] })).toEqual([]);
    expect(changed(role, {}, { ends: [], endsBefore: [web] })).toEqual([]);
  });

  test('that takes the rule away with its end is none', () => {
    const both = policy('secret/a', 'secret/b');
    expect(changed(both, both, { ends: [], endsBefore: [rule] })).toEqual([
      'until-later: warning: The rule for "secret/a" no longer ends on 2026-12-31.',
    ]);
    expect(changed(both, policy('secret/b'), { ends: [], endsBefore: [rule] })).toEqual([]);
  });
});
