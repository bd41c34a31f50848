import { expect, test } from '@jest/globals';
import type { ReviewOptions } from '../../src/review/review.ts';
import { review } from '../../src/review/review.ts';
import { change } from '../worlds.ts';

const rulesOf = (text: string, options: Partial<ReviewOptions> = {}) =>
  review({ changes: [{ place: {}, change: change(text) }], notes: [] }, { now: 0n, ...options }).findings.map(
    ({ rule }) => rule,
  );

const deletion = 'role build gone,read boundSubject: x\n policy read: a read\n - policy gone: b read';

test('a deleted policy that is still named is one finding', () => {
  expect(rulesOf(deletion).filter((rule) => rule.startsWith('policy-'))).toEqual(['policy-removed']);
});

test('where policy-removed is off, its name is unknown', () => {
  const disabled = { 'policy-removed': 'why' };
  expect(rulesOf(deletion, { disabled }).filter((rule) => rule.startsWith('policy-'))).toEqual([
    'policy-unknown',
  ]);
});

const issuer =
  'policy read: a read\n role build read boundSubject: x\n ~ method ci jwksUrl: https://i.example, boundIssuer: https://i.example → boundIssuer: null';

test('a method that drops its issuer is one finding, however many roles it has', () => {
  const found = rulesOf(`${issuer}\n role other read boundSubject: x`);
  expect(found.filter((rule) => rule === 'trust-changed')).toHaveLength(1);
  expect(found).not.toContain('bound-removed');
});

test('where trust-changed is off, each role says it', () => {
  expect(rulesOf(issuer, { disabled: { 'trust-changed': 'why' } })).toContain('bound-removed');
});
