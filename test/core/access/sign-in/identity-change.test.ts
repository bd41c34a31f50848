import { expect, test } from '@jest/globals';
import { identityChanges, isChosen, isUnsteady } from '../../../../core/access/sign-in/identity-change.ts';
import type { Role } from '../../../../core/model/resources/role.ts';

const role = (given: Partial<Role>): Role => ({
  method: 'm',
  name: 'r',
  roleType: 'oidc',
  userClaim: 'sub',
  ...given,
});

test.each<[Partial<Role>, Partial<Role>, [field: string, chosen: boolean, words: string][]]>([
  [{}, {}, []],
  [{}, { userClaim: '/sub', userClaimJsonPointer: true }, []],
  [
    {},
    { userClaim: 'email' },
    [['userClaim', false, 'people are told apart by claim email, no longer by claim sub']],
  ],
  [
    {},
    { userClaim: '/profile/nickname', userClaimJsonPointer: true },
    [['userClaim', true, 'people are told apart by claim /profile/nickname, no longer by claim sub']],
  ],
  [
    { userClaim: '/a' },
    { userClaim: '/a', userClaimJsonPointer: true },
    [
      [
        'userClaimJsonPointer',
        false,
        'people are told apart by claim a, no longer by claim /a (by its name)',
      ],
    ],
  ],
  [
    { claimMappings: { email: 'mail', sub: 'id' } },
    { claimMappings: { nickname: 'mail', sub: 'id' } },
    [['claimMappings', true, 'metadata mail comes from "nickname", before from "email"']],
  ],
  [
    { claimMappings: { name: 'n' } },
    {},
    [['claimMappings', false, 'metadata n comes from no claim, before from "name"']],
  ],
  [
    {},
    { claimMappings: { name: 'n' } },
    [['claimMappings', true, 'metadata n comes from "name", before from no claim']],
  ],
  [
    { oauth2Metadata: ['id_token', 'access_token'] },
    { oauth2Metadata: ['access_token'] },
    [
      [
        'oauth2Metadata',
        false,
        'metadata keeps access_token of the provider’s tokens, before id_token, access_token',
      ],
    ],
  ],
])('who somebody is taken for: %j, then %j', (before, after, wanted) => {
  expect(
    identityChanges(role(before), role(after)).map(({ field, chosen, words }) => [field, chosen, words]),
  ).toEqual(wanted);
});

// OpenID Connect Core 5.1, the claims of profile; docs of the providers for the rest.
test.each([
  ...['name', 'nickname', 'preferred_username', 'given_name', 'family_name', 'middle_name'],
  ...['picture', 'profile', 'website', 'gender', 'birthdate', 'zoneinfo', 'locale', 'address'],
  ...['department', 'title', 'display_name', 'displayName'],
])('people choose their %s', (claim) => {
  expect([isChosen(claim), isUnsteady(claim)]).toEqual([true, true]);
});

test.each([
  ...['ref', 'ref_type', 'ref_path', 'head_ref', 'base_ref', 'environment', 'workflow', 'event_name'],
  ...['pipeline_source', 'terraform_workspace_name', 'terraform_run_phase'],
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
  expect(change?.words).toBe(`people are told apart by ${shown}, no longer by claim sub`);
});

test.each<[string, Partial<Role>, Partial<Role>, [chosen: boolean, words: string][]]>([
  ['the order of claims', { claimMappings: { a: 'x', b: 'x' } }, { claimMappings: { b: 'x', a: 'x' } }, []],
  [
    'one claim more',
    { claimMappings: { sub: 'x' } },
    { claimMappings: { sub: 'x', email: 'x' } },
    [[false, 'metadata x comes from "email" or "sub", before from "sub"']],
  ],
  [
    'one that people choose, among others',
    { claimMappings: { sub: 'x' } },
    { claimMappings: { email: 'x', nickname: 'x' } },
    [[true, 'metadata x comes from "email" or "nickname", before from "sub"']],
  ],
  ['the order of tokens', { oauth2Metadata: ['a', 'b'] }, { oauth2Metadata: ['b', 'a'] }, []],
  [
    'all tokens',
    { oauth2Metadata: ['a'] },
    {},
    [[false, 'metadata keeps nothing of the provider’s tokens, before a']],
  ],
])('what is kept of claims changes with %s', (_, before, after, wanted) => {
  const changes = identityChanges(role(before), role(after));
  expect(changes.map(({ chosen, words }) => [chosen, words])).toEqual(wanted);
});

test('a pointer is judged by what it leads to', () => {
  expect([isChosen('/a/nickname'), isChosen('/nickname/a')]).toEqual([true, false]);
});

test('claims that people choose are told from those that merely change hands', () => {
  expect(['department', '/profile/picture', 'ref'].map(isChosen)).toEqual([true, true, true]);
  expect(['email', 'sub', 'constructor'].map(isChosen)).toEqual([false, false, false]);
  expect(['email', 'name', 'sub', 'constructor'].map(isUnsteady)).toEqual([true, true, false, false]);
});
