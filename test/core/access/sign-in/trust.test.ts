import { describe, expect, test } from '@jest/globals';
import {
  inclusion,
  inGroups,
  isDisjoint,
  populationOf,
  populationWords,
  witnessOf,
} from '../../../../core/access/sign-in/population.ts';
import { groupSources, keySources, redirectPlaces } from '../../../../core/access/sign-in/trust.ts';
import type { AuthMethod, MethodConfig } from '../../../../core/model/resources/auth-method.ts';
import type { ProviderConfig } from '../../../../core/model/resources/provider-config.ts';
import type { Role } from '../../../../core/model/resources/role.ts';

const roleWith = (given: Partial<Role> = {}): Role => ({
  method: 'm',
  name: 'r',
  roleType: 'jwt',
  userClaim: 'sub',
  ...given,
});
const methodWith = (config: MethodConfig): AuthMethod => ({ path: 'm', type: 'jwt', config });
const issuer = { oidcDiscoveryUrl: 'https://id.example' };
const people: Partial<Role> = { roleType: 'oidc', allowedRedirectUris: ['https://secrets.example/cb'] };
const suite: ProviderConfig = {
  provider: 'workspace_suite',
  suiteServiceAccount: '/key.json',
  suiteAdminImpersonate: 'a@b.example',
  fetchGroups: true,
  fetchUserInfo: false,
  groupsRecurseMaxDepth: 0,
};

interface Side {
  role?: Partial<Role>;
  config?: MethodConfig;
}
const populationWith = ({ role = {}, config = issuer }: Side) =>
  populationOf(roleWith(role), methodWith(config));
/** What inclusion says: `yes`, `because`, or what is missing with a question mark. */
const said = (inner: Side, outer: Side) => {
  const found = inclusion(populationWith(inner), populationWith(outer));
  if (found.answer === 'unknown') return `${found.missing}?`;
  return found.answer === 'no' ? found.because : 'yes';
};

describe('whether everyone who comes in one way comes in another', () => {
  const cases: [name: string, one: Side, other: Side, forward: string | RegExp, back: string | RegExp][] = [
    [
      'another CA certificate for the same address',
      { config: { ...issuer, oidcDiscoveryCaPem: 'AAAA' } },
      { config: { ...issuer, oidcDiscoveryCaPem: 'BBBB\n' } },
      /^tokens may be signed by keys of https:\/\/id.example by CA certificate sha256:\w{8}$/,
      /^tokens may be signed by keys of https:\/\/id.example by CA certificate sha256:\w{8}$/,
    ],
    [
      'one key more, in other line breaks',
      { config: { jwtValidationPubkeys: ['AA\nBB', 'CC'] } },
      { config: { jwtValidationPubkeys: ['AA\r\nBB\n'] } },
      /^tokens may be signed by public key sha256:/,
      'yes',
    ],
    [
      'one pair of keys more',
      { config: { jwksPairs: [{ jwks_url: 'https://a' }, { jwks_url: 'https://b', jwks_ca_pem: 'C' }] } },
      { config: { jwksPairs: [{ jwks_url: 'https://a' }] } },
      /^tokens may be signed by keys of https:\/\/b by CA certificate/,
      'yes',
    ],
    [
      'an algorithm that proves nothing',
      { config: { ...issuer, jwtSupportedAlgs: ['RS256', 'none'] } },
      {},
      'signing algorithm may be "none"',
      /^signing algorithm may be "RS384"$/,
    ],
    [
      'another port on loopback',
      { role: { ...people, allowedRedirectUris: ['http://localhost:9/cb'] } },
      { role: { ...people, allowedRedirectUris: ['http://localhost:8250/cb'] } },
      'yes',
      'yes',
    ],
    ['sign-ins by browser', { role: people }, {}, 'sign-in by browser', 'sign-in by token'],
    [
      'another name in the certificate, and no issuer bound',
      { config: { ...issuer, overrideAllowedServerNames: ['evil.example'] } },
      { config: { ...issuer, boundIssuer: 'https://id.example' } },
      'name in the provider’s certificate may be "evil.example"',
      'yes',
    ],
    [
      'names of policies that a claim fills in',
      { role: { policies: ['of-{{.team.id}}'], tokenPoliciesTemplateClaims: true } },
      { role: { policies: ['of-{{.team.id}}'] } },
      'yes',
      'claim team.id need not be there',
    ],
    [
      'a policy that no sign-in gives',
      { role: { policies: ['Root '] } },
      { role: { boundSubject: 'x' } },
      'yes',
      'policies need not be some that no sign-in gives',
    ],
    [
      'groups of groups',
      {
        role: { ...people, groupsClaim: 'groups' },
        config: { ...issuer, providerConfig: { ...suite, groupsRecurseMaxDepth: 10 } },
      },
      { role: { ...people, groupsClaim: 'groups' }, config: { ...issuer, providerConfig: suite } },
      'depth of groups in groups may be 10, not only 0',
      'yes',
    ],
    [
      'settings of a provider that is not modelled',
      { config: { ...issuer, providerConfig: { provider: 'secureauth' } as never } },
      {},
      'providerConfig?',
      'providerConfig?',
    ],
    [
      'another claim for who they are',
      { role: { userClaim: '/profile/nickname', userClaimJsonPointer: true } },
      { role: { userClaim: 'sub' } },
      'claim sub need not be there',
      'claim /profile/nickname need not be there',
    ],
    [
      'one value more',
      { role: { boundClaims: { org: ['acme', 'beta'] } } },
      { role: { boundClaims: { '/org': 'acme' } } },
      'claim org may be "beta"',
      'yes',
    ],
    [
      'a glob that is wider',
      { role: { boundClaims: { repository: 'acme/*' }, boundClaimsType: 'glob' } },
      { role: { boundClaims: { repository: ['acme/a*', 'acme/b'] }, boundClaimsType: 'glob' } },
      'claim repository may be "acme/x"',
      'yes',
    ],
    [
      'addresses that cannot be read',
      { role: { tokenBoundCidrs: ['(hidden 1)', '10.0.0.1'] } },
      { role: { tokenBoundCidrs: ['10.0.0.1'] } },
      'source addresses "(hidden 1)"?',
      'yes',
    ],
    [
      'addresses that cannot be read, and are gone',
      {},
      { role: { tokenBoundCidrs: ['(hidden 1)'] } },
      'source address need not be (hidden 1)',
      'yes',
    ],
    [
      'a bound time, which only the clock can judge',
      { role: { boundClaims: { exp: 7 as never } } },
      {},
      'what claim exp, a time, may be?',
      'what claim exp, a time, may be?',
    ],
  ];
  test.each(cases)('%s', (_, one, other, forward, back) => {
    const check = (text: string, wanted: string | RegExp) =>
      typeof wanted === 'string' ? expect(text).toBe(wanted) : expect(text).toMatch(wanted);
    check(said(one, other), forward);
    check(said(other, one), back);
  });

  test('says what is missing where the method is', () => {
    const inner = populationOf(roleWith(), undefined);
    expect(inclusion(inner, inner)).toEqual({ answer: 'yes' });
    const unknown = { answer: 'unknown', missing: 'configuration of auth/m' };
    expect(inclusion(inner, populationWith({}))).toEqual(unknown);
    expect(inclusion(populationWith({}), inner)).toEqual(unknown);
    // What the role asks is known all the same.
    const bound = populationWith({ role: { boundSubject: 'x' } });
    expect(inclusion(inner, bound)).toMatchObject({ answer: 'no', because: 'claim sub need not be "x"' });
  });

  test('shows the sign-in that makes the difference', () => {
    const found = inclusion(
      populationWith({ role: { boundAudiences: ['app'], tokenBoundCidrs: ['10.0.0.0/8'] } }),
      populationWith({ role: { boundAudiences: ['app'], tokenBoundCidrs: ['10.0.0.0/9'] } }),
    );
    expect(found).toEqual({
      answer: 'no',
      because: 'source address may be 10.128.0.0',
      witness: {
        claims: { aud: 'app', sub: 'x' },
        address: '10.128.0.0',
        signedBy: 'keys of https://id.example',
        by: 'token',
      },
    });
  });
});

test('keys, places and groups of a sign-in are those that count for it', () => {
  expect(keySources(roleWith(people), { jwksUrl: 'https://id.example/keys' })).toEqual([]);
  expect(groupSources({ ...suite, fetchGroups: false })).toEqual([]);
  const uris = ['https://a.example:444/cb', 'http://[::1]:8250/cb', 'nonsense'];
  expect(redirectPlaces(uris).map(({ id }) => id)).toEqual([
    'https://a.example:444/cb',
    'http://[::1]/cb',
    'nonsense',
  ]);
});

describe('a population', () => {
  test('in words is what the role asks for', () => {
    expect(populationWords(populationWith({ role: { boundSubject: 'x', boundAudiences: ['y'] } }))).toBe(
      'claim sub "x", audience "y"',
    );
    expect(populationWords(populationWith({ role: people }))).toBe('');
    const role: Partial<Role> = {
      boundClaims: { org: ['a*', 'b'] },
      boundClaimsType: 'glob',
      tokenBoundCidrs: ['10.0.0.0/8'],
      boundAudiences: ['y'],
    };
    expect(populationWords(populationWith({ role }))).toBe(
      'audience "y", claim org like "a*" or "b", source address 10.0.0.0/8',
    );
  });

  test('has a witness in groups, and none where nobody can be in it', () => {
    const readers = populationWith({ role: { groupsClaim: '/realm/groups', boundAudiences: ['app'] } });
    expect(witnessOf(readers, ['admins', 'ops'])?.claims).toEqual({
      aud: 'app',
      sub: 'x',
      realm: { groups: ['admins', 'ops'] },
    });
    expect(
      witnessOf(populationWith({ role: { boundSubject: 'x', boundClaims: { sub: 'y' } } })),
    ).toBeUndefined();
  });

  test('in a group is part of the whole', () => {
    const all = populationWith({ role: { groupsClaim: 'groups' } });
    expect(inclusion(inGroups(all, ['admins']), all)).toEqual({ answer: 'yes' });
    expect(inclusion(all, inGroups(all, ['admins']))).toMatchObject({
      because: 'claim groups need not be "admins"',
    });
  });

  test.each<[string, Side, Side, boolean]>([
    ['two subjects', { role: { boundSubject: 'x' } }, { role: { boundSubject: 'y' } }, true],
    [
      'two values of a claim',
      { role: { boundClaims: { a: 'x' } } },
      { role: { boundClaims: { a: 'y' } } },
      false,
    ],
    ['two issuers', {}, { config: { oidcDiscoveryUrl: 'https://other.example' } }, true],
    ['by browser and by token', {}, { role: people }, true],
    [
      'two networks',
      { role: { tokenBoundCidrs: ['10.0.0.0/8'] } },
      { role: { tokenBoundCidrs: ['11.0.0.0/8'] } },
      true,
    ],
    [
      'a network that is not known',
      { role: { tokenBoundCidrs: ['10.0.0.0/8'] } },
      { role: { tokenBoundCidrs: ['?'] } },
      false,
    ],
    ['nobody', {}, { role: { boundClaims: { a: [] as never } } }, false],
  ])('has nobody in common with another: %s', (_, one, other, disjoint) => {
    expect(isDisjoint(populationWith(one), populationWith(other))).toBe(disjoint);
  });
});
