import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { reasonWords } from '../../../src/words/reason-words.ts';
import { now } from '../../review/graphs.ts';
import { change } from '../../worlds.ts';

const decided = (text: string, rest = '') =>
  decideAccess(change(`method ci\n policy read: a/* read\n ${text}\n ${rest}\n complete`), now);
/** The answers for a role of people that asks for fewer scopes, and why. */
const answersOf = (fields: string, scopes: string, rest?: string) => {
  const { changes, ...whole } = decided(`~ role r roleType: oidc, ${fields}, oidcScopes: ${scopes}`, rest);
  const reasons = changes.flatMap(({ uncertain }) => uncertain.map(reasonWords));
  return [whole.gains, whole.losses, ...reasons].join(' ');
};

// Measured: docs/inside/measured/sign-in.md. A mapped claim that is a list refuses, and one that is not there does not.
describe('a role that asks for fewer scopes', () => {
  const fewer = '[a, b] → oidcScopes: [a]';

  test.each<[what: string, fields: string, answers: string]>([
    ['maps a claim of any form', 'claimMappings: {department: dept}', 'unknown some requested scope'],
    ['maps what is within a claim', 'claimMappings: {/address/country: x}', 'unknown some requested scope'],
    ['maps a claim that is no text', 'claimMappings: {email_verified: x}', 'unknown some requested scope'],
    ['maps claims that are texts', 'claimMappings: {email: x, /name: y}', 'none some'],
    ['maps a claim of every token', 'claimMappings: {sub: x}', 'none none'],
    ['maps nothing, and binds a claim', 'boundClaims: {department: x}', 'none some'],
    ['reads nothing that a scope brings', 'boundSubject: x', 'none none'],
  ])('and %s', (_, fields, answers) => {
    expect(answersOf(fields, fewer)).toBe(answers);
  });

  test('and others, lets in more by these', () => {
    expect(answersOf('claimMappings: {department: dept}', '[a] → oidcScopes: [b]')).toBe('some some');
  });

  test('and more, may let in fewer', () => {
    const answers = answersOf('claimMappings: {department: dept}', '[a] → oidcScopes: [a, b]');
    expect(answers).toBe('some unknown requested scope');
  });

  test('and no longer maps the claim, lets in all that this refused', () => {
    const fields = 'claimMappings: {department: dept}';
    expect(answersOf(fields, '[a] → oidcScopes: [], claimMappings: null')).toMatch(/^some/);
  });

  test.each([
    ['denies', 'shut', 'unknown some requested scope'],
    ['grants alone', 'more', 'none some'],
  ])('may find fewer groups, of which one %s', (_, policy, answers) => {
    const group = `group g ${policy}\n alias g ci g\n policy shut: a/b deny\n policy more: c read`;
    expect(answersOf('groupsClaim: groups', fewer, group)).toBe(answers);
  });

  test('and more, finds the groups that it found', () => {
    const group = 'group g shut\n alias g ci g\n policy shut: a/b deny';
    const { changes } = decided(
      '~ role r roleType: oidc, groupsClaim: groups, oidcScopes: [a] → oidcScopes: [a, b]',
      group,
    );
    expect(changes.map(({ principals: { kind } }) => kind)).toEqual(['role']);
  });
});

describe('a directory that is searched', () => {
  const shut = 'group g shut\n alias g ci g\n policy shut: a/b deny';
  const suite = (depth: number) =>
    `providerConfig: {provider: workspace_suite, fetchGroups: true, suiteAdminImpersonate: a, suiteServiceAccount: k, groupsRecurseMaxDepth: ${depth}}`;
  const searched = (before: number, after: number) =>
    decideAccess(
      change(`
        ~ method ci ${suite(before)} → ${suite(after)}
        role r groupsClaim: groups
        policy read: a/* read
        ${shut}
        complete`),
      now,
    ).changes.map(({ principals: { kind }, gains }) => `${kind} ${gains}`);

  test('less deep leaves people out of groups that denied', () => {
    expect(searched(3, 1)).toEqual(['alias some', 'role none']);
  });

  test('deeper does not', () => {
    expect(searched(1, 3)).toEqual(['role some']);
  });
});
