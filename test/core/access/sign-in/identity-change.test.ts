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

test('claims that people choose are told from those that merely change hands', () => {
  expect(['department', '/profile/picture', 'ref'].map(isChosen)).toEqual([true, true, true]);
  expect(['email', 'sub', 'constructor'].map(isChosen)).toEqual([false, false, false]);
  expect(['email', 'name', 'sub', 'constructor'].map(isUnsteady)).toEqual([true, true, false, false]);
});
