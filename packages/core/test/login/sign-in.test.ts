import { describe, expect, test } from '@jest/globals';
import type { Claims } from '../../src/login/claims.ts';
import { LoginReason, LoginRefused } from '../../src/login/login-refused.ts';
import type { LoginRole } from '../../src/login/login-role.ts';
import { type Attempt, findRole, signIn, signInByClaims } from '../../src/login/sign-in.ts';

const claims = { sub: 'ann', aud: 'app', iat: 1_800_000_000 };
const attempt = ({
  role,
  ...fields
}: { role?: Partial<LoginRole> } & Partial<Omit<Attempt, 'role'>>): Attempt => ({
  config: {},
  roleName: 'web',
  role: (name) => ({ name, roleType: 'jwt', userClaim: 'sub', boundAudiences: ['app'], ...role }),
  addressAllowed: (cidrs) => cidrs.includes('10.0.0.0/8'),
  now: 1_800_000_000_000_000_000n,
  ...fields,
});
const answer = async (options: Parameters<typeof attempt>[0] = {}, given: Claims = claims) => {
  const found = await signInByClaims({ ...attempt(options), claims: given });
  return found instanceof LoginRefused ? found.reason : found.name;
};

// docs/inside/measured/sign-in.md#jwt-login-in-this-order.
describe('claims of a token', () => {
  test('sign in', async () => {
    expect(await answer()).toBe('ann');
  });

  test.each<[string, LoginReason, Parameters<typeof answer>]>([
    ['a method without configuration', LoginReason.methodNotConfigured, [{ config: undefined }]],
    ['no role', LoginReason.roleMissing, [{ roleName: '' }]],
    ['another address', LoginReason.sourceAddress, [{ role: { tokenBoundCidrs: ['11.0.0.0/8'] } }]],
    ['an audience that is not bound', LoginReason.audienceNotBound, [{ role: { boundAudiences: [] } }]],
    ['another audience', LoginReason.audience, [{}, { ...claims, aud: 'other' }]],
    ['a time that is over', LoginReason.expired, [{}, { ...claims, iat: 1_700_000_000 }]],
  ])('are refused for %s', async (_, reason, args) => {
    expect(await answer(...args)).toBe(reason);
  });

  test('sign in to the default role where none is named', async () => {
    const found = await signInByClaims({
      ...attempt({ roleName: '', config: { defaultRole: 'other' } }),
      claims,
    });
    expect(found).toMatchObject({ metadata: { role: 'other' } });
  });

  test('sign in from an address that is bound, and from any where none is', async () => {
    expect(await answer({ role: { tokenBoundCidrs: ['10.0.0.0/8'] } })).toBe('ann');
    expect(await answer({ role: { tokenBoundCidrs: [] } })).toBe('ann');
  });

  test('need no audience where none is bound, and an empty list is none', async () => {
    const role = { boundAudiences: [], boundSubject: 'ann' };
    const { aud: _, ...rest } = claims;
    expect(await answer({ role }, rest)).toBe('ann');
    expect(await answer({ role }, { ...rest, aud: [] })).toBe('ann');
  });
});

// openbao/openbao builtin/credential/jwt/path_oidc.go
describe('claims of an ID token', () => {
  const people: Partial<LoginRole> = { roleType: 'oidc', boundAudiences: [] };
  const config = { oidcDiscoveryUrl: 'https://id.example', oidcClientId: 'c' };
  const idToken = { iss: 'https://id.example', sub: 'ann', aud: 'c', exp: 1_800_000_060 };

  const cases: Record<string, [LoginReason | string, Parameters<typeof answer>]> = {
    'what the provider sends': ['ann', [{ role: people }]],
    'another client': [LoginReason.authorizedParty, [{ role: people }, { aud: 'other' }]],
    'an audience that the role does not bind': [
      LoginReason.audience,
      [{ role: { ...people, boundAudiences: ['other'] } }],
    ],
    'the bound subject': ['ann', [{ role: { ...people, boundSubject: 'ann' } }]],
    'another subject': [LoginReason.subject, [{ role: { ...people, boundSubject: 'bob' } }]],
    'another address': [
      LoginReason.sourceAddress,
      [{ role: { ...people, tokenBoundCidrs: ['11.0.0.0/8'] } }],
    ],
    'a method without a client': [
      LoginReason.methodNotConfigured,
      [{ role: people, config: { oidcDiscoveryUrl: 'https://id.example' } }],
    ],
    'a method without a provider': [
      LoginReason.methodNotConfigured,
      [{ role: people, config: { oidcClientId: 'c' } }],
    ],
  };
  test.each(Object.entries(cases))('with %s: %s', async (_, [wanted, [options, given]]) => {
    expect(await answer({ config, ...options }, { ...idToken, ...given })).toBe(wanted);
  });

  test('are completed by the directory', async () => {
    const directory = {
      withUserInfo: async (_: LoginRole, given: Claims) => ({ ...given, mail: 'ann@b.example' }),
      withGroups: async (_: LoginRole, given: Claims) => ({ ...given, groups: ['ops'] }),
    };
    const role = { ...people, groupsClaim: 'groups', claimMappings: { mail: 'mail' } };
    const found = await signInByClaims({
      ...attempt({ role, directory, config }),
      claims: idToken,
    });
    expect(found).toMatchObject({ groups: ['ops'], metadata: { mail: 'ann@b.example' } });
  });
});

describe('what is no refusal', () => {
  const broken = () => {
    throw new TypeError('broken');
  };

  test('is passed on', async () => {
    const args = { ...attempt({}), role: broken };
    await expect(signInByClaims({ ...args, claims })).rejects.toThrow(TypeError);
    await expect(signIn({ ...args, token: 'x', keys: broken })).rejects.toThrow(TypeError);
  });
});

test('a role is found by its name', () => {
  const role = { name: 'web', roleType: 'jwt', userClaim: 'sub' } as const;
  const find = (name: string | undefined) => findRole(name, (one) => (one === 'web' ? role : undefined));
  expect(find('web')).toBe(role);
  expect(() => find('')).toThrow(expect.objectContaining({ reason: LoginReason.roleMissing }));
  expect(() => find(undefined)).toThrow(expect.objectContaining({ reason: LoginReason.roleMissing }));
  expect(() => find('other')).toThrow(expect.objectContaining({ reason: LoginReason.roleUnknown }));
});
