import { expect, test } from '@jest/globals';
import { identityChanges, isChosen, isUnsteady } from '../../../src/access/sign-in/identity-change.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { alsoWords } from '../../../src/words/also-words.ts';
import { bareRole } from '../../review/graphs.ts';

const role = (given: Partial<Role>) => bareRole({ roleType: 'oidc', ...given });

/** What is said: `chosen` where people choose what the new claim says, and the words. */
test.each<[before: Partial<Role>, after: Partial<Role>, ...expected: string[]]>([
  [{}, {}],
  [{}, { userClaim: '/sub', userClaimJsonPointer: true }],
  [{}, { userClaim: 'email' }, 'people are identified by claim email instead of claim sub'],
  [
    {},
    { userClaim: '/profile/nickname', userClaimJsonPointer: true },
    'chosen: people are identified by claim /profile/nickname instead of claim sub',
  ],
  [
    { userClaim: '/a' },
    { userClaim: '/a', userClaimJsonPointer: true },
    'people are identified by claim a instead of claim /a (by its name)',
  ],
  [
    { claimMappings: { email: 'mail', sub: 'id' } },
    { claimMappings: { nickname: 'mail', sub: 'id' } },
    'chosen: metadata mail comes from "nickname" instead of "email"',
  ],
  [{ claimMappings: { name: 'n' } }, {}, 'metadata n comes from no claim instead of "name"'],
  [{}, { claimMappings: { name: 'n' } }, 'chosen: metadata n comes from "name" instead of no claim'],
  [{ claimMappings: { a: 'x', b: 'x' } }, { claimMappings: { b: 'x', a: 'x' } }],
  [
    { claimMappings: { sub: 'x' } },
    { claimMappings: { sub: 'x', email: 'x' } },
    'metadata x comes from "email" or "sub" instead of "sub"',
  ],
  [
    { claimMappings: { sub: 'x' } },
    { claimMappings: { email: 'x', nickname: 'x' } },
    'chosen: metadata x comes from "email" or "nickname" instead of "sub"',
  ],
  [
    { oauth2Metadata: ['id_token', 'access_token'] },
    { oauth2Metadata: ['access_token'] },
    'metadata keeps access_token of the provider’s tokens instead of id_token, access_token',
  ],
  [{ oauth2Metadata: ['a', 'b'] }, { oauth2Metadata: ['b', 'a'] }],
  [{ oauth2Metadata: ['a'] }, {}, 'metadata keeps nothing of the provider’s tokens instead of a'],
])('a change of identity: %j, then %j', (before, after, ...expected) => {
  const changes = identityChanges(role(before), role(after));
  expect(changes.map(({ chosen, what }) => `${chosen ? 'chosen: ' : ''}${alsoWords(what)}`)).toEqual(
    expected,
  );
});

// OpenID Connect Core 5.1, the claims of profile; docs of the providers for the rest.
test.each([
  'name',
  'nickname',
  'preferred_username',
  'given_name',
  'family_name',
  'middle_name',
  'picture',
  'profile',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'address',
  'department',
  'title',
  'display_name',
  'displayName',
])('people choose their %s', (claim) => {
  expect([isChosen(claim), isUnsteady(claim)]).toEqual([true, true]);
});

test.each([
  'ref',
  'ref_type',
  'ref_path',
  'head_ref',
  'base_ref',
  'environment',
  'workflow',
  'event_name',
  'pipeline_source',
  'terraform_workspace_name',
  'terraform_run_phase',
])('authors of a job choose its %s', (claim) => {
  expect([isChosen(claim), isUnsteady(claim)]).toEqual([true, true]);
});

test.each(['email', 'upn', 'unique_name', 'login', 'user_login', 'user_email', 'phone_number'])(
  '%s can pass to another person, who does not choose it',
  (claim) => {
    expect([isChosen(claim), isUnsteady(claim)]).toEqual([false, true]);
  },
);

test.each([
  [{ userClaim: '/a/b', userClaimJsonPointer: true }, 'claim /a/b'],
  [{ userClaim: '/a/b' }, 'claim /a/b (by its name)'],
  [{ userClaim: '/a', userClaimJsonPointer: true }, 'claim a'],
  [{ userClaim: 'a', userClaimJsonPointer: true }, 'claim a'],
])('the claim of %j is shown as %s', (given, shown) => {
  const [change] = identityChanges(role({}), role(given));
  expect(change && alsoWords(change.what)).toBe(`people are identified by ${shown} instead of claim sub`);
});

test('a pointer is judged by what it leads to', () => {
  expect([isChosen('/a/nickname'), isChosen('/nickname/a')]).toEqual([true, false]);
  expect(['sub', 'constructor'].map(isUnsteady)).toEqual([false, false]);
});
