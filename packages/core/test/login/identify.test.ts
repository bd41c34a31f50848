import { describe, expect, test } from '@jest/globals';
import type { Claims } from '../../src/login/claims.ts';
import { type Directory, identify } from '../../src/login/identify.ts';
import { LoginReason } from '../../src/login/login-refused.ts';
import type { LoginRole } from '../../src/login/login-role.ts';

const who = (role: Partial<LoginRole>, claims: Claims, directory?: Directory) =>
  identify({ name: 'web', roleType: 'jwt', userClaim: 'sub', ...role }, { sub: 'ann', ...claims }, directory);

describe('who signed in', () => {
  test('is named by the user claim', async () => {
    expect(await who({}, {})).toEqual({ name: 'ann', metadata: { role: 'web' }, groups: [], policies: [] });
  });

  test('is named by a pointer only where the role says so', async () => {
    const claims = { a: { b: 'deep' }, '/a/b': 'flat' };
    expect((await who({ userClaim: '/a/b' }, claims)).name).toBe('flat');
    expect((await who({ userClaim: '/a/b', userClaimJsonPointer: true }, claims)).name).toBe('deep');
  });

  test.each<[unknown, LoginReason]>([
    [undefined, LoginReason.userClaimMissing],
    [null, LoginReason.userClaimMissing],
    [7, LoginReason.userClaimNotText],
    [['ann'], LoginReason.userClaimNotText],
  ])('is refused with the user claim %j', async (sub, reason) => {
    await expect(who({}, { sub })).rejects.toMatchObject({ reason, claim: 'sub' });
  });

  test('has what claims are mapped to, but not the name of the role', async () => {
    const role = { claimMappings: { mail: 'm', gone: 'g', other: 'role' } };
    expect((await who(role, { mail: 'a@b.example', other: 'x' })).metadata).toEqual({
      m: 'a@b.example',
      role: 'web',
    });
    await expect(who(role, { mail: 7 })).rejects.toMatchObject({
      reason: LoginReason.mappedClaimNotText,
      claim: 'mail',
    });
  });
});

describe('groups', () => {
  const groups = async (given: unknown) => (await who({ groupsClaim: 'g' }, { g: given })).groups;

  test.each([
    [
      ['a', '', 'x'],
      ['a', 'x'],
    ],
    ['a', ['a']],
    ['', []],
    [[], []],
  ])('of %j are %j', async (given, wanted) => {
    expect(await groups(given)).toEqual(wanted);
  });

  test.each<[unknown, LoginReason, string]>([
    [undefined, LoginReason.groupsMissing, 'failed to fetch groups: "g" claim not found in token'],
    [{}, LoginReason.groupsMalformed, '"g" claim could not be converted to string list'],
    [['a', 7], LoginReason.groupsMalformed, 'value 7 in groups claim could not be parsed as string'],
    [[10_000_000], LoginReason.groupsMalformed, 'value 1e+07 in groups claim could not be parsed as string'],
    [10_000_000, LoginReason.groupsMalformed, 'value 10000000 in groups claim could not be parsed as string'],
  ])('of %j are refused', async (given, reason, message) => {
    await expect(groups(given)).rejects.toMatchObject({ reason, message, claim: 'g' });
  });

  test('are not read where the role names no claim', async () => {
    expect((await who({ groupsClaim: '' }, { '': ['a'] })).groups).toEqual([]);
  });
});

describe('a directory', () => {
  const directory: Directory = {
    withUserInfo: async (_, claims) => ({ ...claims, sub: 'other', mail: 'a@b.example' }),
    withGroups: async (_, claims) => ({ ...claims, g: ['told'], mail: 'changed' }),
  };

  test('tells what claims are mapped from, and not who it is', async () => {
    const found = await who({ claimMappings: { mail: 'm' } }, {}, directory);
    expect([found.name, found.metadata]).toEqual(['ann', { m: 'a@b.example', role: 'web' }]);
  });

  test('tells groups, and what is bound after them', async () => {
    expect((await who({ groupsClaim: 'g' }, { g: ['own'] }, directory)).groups).toEqual(['told']);
    await expect(
      who({ groupsClaim: 'g', boundClaims: { mail: 'changed' } }, {}, directory),
    ).resolves.toBeDefined();
  });

  test('is not asked for groups that the role does not read', async () => {
    await expect(who({ boundClaims: { mail: 'a@b.example' } }, {}, directory)).resolves.toBeDefined();
  });
});
