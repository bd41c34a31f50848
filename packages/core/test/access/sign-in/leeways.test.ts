import { expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { wideningWords } from '../../../src/words/condition-words.ts';
import { now } from '../../review/graphs.ts';
import { change } from '../../worlds.ts';

const decided = (text: string) => {
  const { gains, losses, life, changes } = decideAccess(
    change(`policy read: a read\n method ci jwksUrl: https://ci.example/k\n ~ role r read ${text}`),
    now,
  );
  return {
    answers: [gains, losses, life],
    because: changes.flatMap((one) => (one.because ? wideningWords(one.because) : [])),
  };
};

test.each([
  ['→ expirationLeeway: 31536000', 'expirationLeeway may be 365d, not only 2m30s'],
  ['expirationLeeway: -1 → expirationLeeway: 1', 'expirationLeeway may be 1s, not only 0s'],
  ['notBeforeLeeway: -1 → notBeforeLeeway: 0', 'notBeforeLeeway may be 2m30s, not only 0s'],
  ['→ clockSkewLeeway: 61', 'clockSkewLeeway may be 1m1s, not only 1m'],
  [
    'roleType: oidc, maxAge: 3600 → maxAge: 7200',
    'time since the person entered a password may be 2h, not only 1h',
  ],
  [
    'roleType: oidc, maxAge: 3600 → maxAge: null',
    'time since the person entered a password may be any, not only 1h',
  ],
])('who holds a token that was refused for its times signs in by a wider bound: %s', (text, because) => {
  expect(decided(text)).toEqual({ answers: ['some', 'none', 'same'], because: [because] });
});

test.each([
  '→ expirationLeeway: -1',
  'expirationLeeway: 151 → expirationLeeway: 150',
  '→ notBeforeLeeway: 149',
  'clockSkewLeeway: 0 → clockSkewLeeway: -1',
  'roleType: oidc → maxAge: 60',
])('a narrower bound on times lets in fewer: %s', (text) => {
  expect(decided(text).answers).toEqual(['none', 'some', 'same']);
});

test.each([
  'expirationLeeway: 150, notBeforeLeeway: 150, clockSkewLeeway: 60 → expirationLeeway: 0, notBeforeLeeway: 0, clockSkewLeeway: 0',
  'clockSkewLeeway: -1 → clockSkewLeeway: -7',
  'roleType: oidc → expirationLeeway: 86400',
  '→ maxAge: 60',
])('what decides on no sign-in changes nothing: %s', (text) => {
  expect(decided(text).answers).toEqual(['none', 'none', 'same']);
});

test.each(['expirationLeeway', 'notBeforeLeeway', 'clockSkewLeeway'])(
  'a hidden %s that changes is never taken for the same',
  (field) => {
    expect(decided(`→ ${field}: (hidden 1)`).answers.slice(0, 2)).not.toContain('none');
  },
);
