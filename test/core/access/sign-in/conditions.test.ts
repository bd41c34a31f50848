import { describe, expect, test } from '@jest/globals';
import { claim, conditionsOf, notKnown, quoted } from '../../../../core/access/sign-in/conditions.ts';
import type { AuthMethod, MethodConfig } from '../../../../core/model/resources/auth-method.ts';
import type { ProviderConfig } from '../../../../core/model/resources/provider-config.ts';
import type { Role } from '../../../../core/model/resources/role.ts';

const people: Partial<Role> = { roleType: 'oidc' };
const conditions = (role: Partial<Role>, config: MethodConfig | undefined = {}) => {
  const method: AuthMethod = { path: 'm', type: 'jwt', config };
  return conditionsOf({ method: 'm', name: 'r', roleType: 'jwt', userClaim: 'sub', ...role }, method);
};
/** What is asked in one respect. */
const asked = (on: string, role: Partial<Role>, config?: MethodConfig) =>
  conditions(role, config)
    .filter((one) => one.on === on)
    .map(({ accepts, words, part }) => {
      const { kind, ...more } = accepts;
      const what = kind === 'members' ? accepts.members.map(({ id }) => id) : more;
      return [part, words, what];
    });
const isSingle = (on: string, role: Partial<Role>) =>
  conditions(role)
    .filter((one) => one.on === on)
    .map(({ accepts }) => accepts.kind === 'members' && accepts.isSingle);

// facts/jwt-oidc.md
describe('what a sign-in must fulfill', () => {
  const equal = (text: string, at: string) => ({ at: [at], demand: { asks: 'equal', text } });
  const oneOf = (bound: unknown[], at: string, isGlob = false) => ({
    at: [at],
    demand: { asks: 'one of', bound, isGlob },
  });
  const asks = (how: string, ...at: string[]) => ({ at, demand: { asks: how } });
  const suite: Extract<ProviderConfig, { provider: 'workspace_suite' }> = {
    provider: 'workspace_suite',
    ...{ suiteServiceAccount: '/k', suiteAdminImpersonate: 'a@b.example' },
    ...{ fetchGroups: true, fetchUserInfo: true, groupsRecurseMaxDepth: 3 },
  };

  test.each<[string, string, Partial<Role>, MethodConfig, unknown[]]>([
    ['a token', 'sign-in', {}, {}, [['way', 'by token', ['jwt']]]],
    ['a browser', 'sign-in', people, {}, [['way', 'by browser', ['oidc']]]],
    [
      'a subject',
      'claim sub',
      { boundSubject: 's' },
      {},
      [
        ['bound', '"s"', equal('s', 'sub')],
        ['way', '', asks('text', 'sub')],
      ],
    ],
    ['no subject', 'claim sub', { boundSubject: '', userClaim: 'id' }, {}, []],
    [
      'an audience',
      'audience',
      { boundAudiences: ['a', 'b'] },
      { oidcClientId: 'c' },
      [['bound', '"a" or "b"', oneOf(['a', 'b'], 'aud')]],
    ],
    [
      'one audience',
      'audience',
      { boundAudiences: ['a'] },
      { oidcClientId: 'c' },
      [['bound', '"a"', oneOf(['a'], 'aud')]],
    ],
    [
      'no audience of a token',
      'audience',
      {},
      { oidcClientId: 'c' },
      [['bound', 'none', asks('no values', 'aud')]],
    ],
    [
      'the client as audience of people',
      'audience',
      people,
      { oidcClientId: 'c' },
      [['trust', '"c"', oneOf(['c'], 'aud')]],
    ],
    ['any audience of people', 'audience', people, {}, []],
    ['a bound claim', 'claim a', { boundClaims: { a: 'x*' } }, {}, [['bound', '"x*"', oneOf(['x*'], 'a')]]],
    [
      'a pattern',
      'claim a',
      { boundClaims: { '/a': ['y', 'x*'] }, boundClaimsType: 'glob' },
      {},
      [['bound', 'like "y" or "x*"', oneOf(['y', 'x*'], 'a', true)]],
    ],
    [
      'a pattern without a star',
      'claim a',
      { boundClaims: { a: ['x', 7] }, boundClaimsType: 'glob' },
      {},
      [['bound', '"x" or 7', oneOf(['x', 7], 'a', true)]],
    ],
    [
      'addresses',
      'source address',
      { tokenBoundCidrs: ['10.0.0.0/8', '::1'] },
      {},
      [['bound', '10.0.0.0/8 or ::1', { cidrs: ['10.0.0.0/8', '::1'] }]],
    ],
    ['no addresses', 'source address', { tokenBoundCidrs: [] }, {}, []],
    [
      'a user claim by a pointer',
      'claim /a/b',
      { userClaim: '/a/b', userClaimJsonPointer: true },
      {},
      [['way', '', asks('text', 'a', 'b')]],
    ],
    [
      'a user claim by its name',
      'claim /a/b',
      { userClaim: '/a/b' },
      {},
      [['way', '', asks('text', '/a/b')]],
    ],
    ['the audience as user claim', 'claim aud', { userClaim: 'aud' }, {}, [['way', '', asks('text', 'aud')]]],
    [
      'the audience as user claim by a pointer',
      'claim aud',
      { userClaim: 'aud', userClaimJsonPointer: true },
      {},
      [['way', '', asks('the impossible', 'aud')]],
    ],
    [
      'the subject by a pointer',
      'claim sub',
      { userClaim: 'sub', userClaimJsonPointer: true },
      {},
      [['way', '', asks('text', 'sub')]],
    ],
    ['a mapping', 'claim a', { claimMappings: { a: 'b' } }, {}, [['way', '', asks('text if there', 'a')]]],
    [
      'a mapping of the audience',
      'claim aud',
      { claimMappings: { aud: 'b' } },
      {},
      [['way', '', asks('no value', 'aud')]],
    ],
    ['groups', 'claim g', { groupsClaim: 'g' }, {}, [['way', '', asks('texts', 'g')]]],
    ['no groups', 'claim ', { groupsClaim: '' }, {}, []],
    ['groups that a directory tells', 'claim g', { groupsClaim: 'g' }, { providerConfig: suite }, []],
    [
      'scopes',
      'requested scope',
      { ...people, groupsClaim: 'g', oidcScopes: ['openid', 'a'] },
      {},
      [['way', '"a"', ['a']]],
    ],
    [
      'scopes that bring a mapped claim',
      'requested scope',
      { ...people, claimMappings: { email: 'e' }, oidcScopes: ['a'] },
      {},
      [['way', '"a"', ['a']]],
    ],
    [
      'scopes that bring a bound claim',
      'requested scope',
      { ...people, boundClaims: { '/a/sub': 'e' }, oidcScopes: ['a'] },
      {},
      [['way', '"a"', ['a']]],
    ],
    [
      'scopes for claims that are always there',
      'requested scope',
      { ...people, boundClaims: { '/sub': 'e', iss: 'i', aud: 'a' }, oidcScopes: ['a'] },
      {},
      [],
    ],
    ['scopes of a token', 'requested scope', { groupsClaim: 'g', oidcScopes: ['a'] }, {}, []],
    [
      'redirect URIs',
      'redirect URI',
      { ...people, allowedRedirectUris: ['http://localhost:9/a', 'https://b.example/c'] },
      {},
      [['way', 'http://localhost:9/a or https://b.example/c', ['http://localhost/a', 'https://b.example/c']]],
    ],
    ['redirect URIs of a token', 'redirect URI', { allowedRedirectUris: ['https://b.example/c'] }, {}, []],
    ['a way back', 'callbackMode', people, {}, [['way', '"client"', { value: 'client' }]]],
    [
      'another way back',
      'callbackMode',
      { ...people, callbackMode: 'direct' },
      {},
      [['way', '"direct"', { value: 'direct' }]],
    ],
    ['the way back of a token', 'callbackMode', {}, {}, []],
    ['a confirmation', 'confirmation', people, {}, [['way', 'asked for', ['asked']]]],
    [
      'no confirmation',
      'confirmation',
      { ...people, oidcDisableConfirmation: true },
      {},
      [['way', 'asked for or left out', ['asked', 'not']]],
    ],
    ['the confirmation of a token', 'confirmation', {}, {}, []],
    [
      'a token that works from anywhere',
      'address that a token works from',
      {},
      {},
      [['way', 'the one that signed in or another', ['same', 'other']]],
    ],
    [
      'a token that works from one address',
      'address that a token works from',
      { tokenStrictlyBindIp: true },
      {},
      [['way', 'the one that signed in', ['same']]],
    ],
    [
      'a policy that no sign-in gives',
      'policies',
      { policies: ['a', 'Root'] },
      {},
      [['way', 'some that no sign-in gives', asks('the impossible', 'policies')]],
    ],
    [
      'claims for names of policies',
      'claim a.b',
      { policies: ['of-{{.a.b}}'], tokenPoliciesTemplateClaims: true },
      {},
      [['way', '', asks('a value', 'a', 'b')]],
    ],
    ['names of policies that are not filled in', 'claim a', { policies: ['of-{{.a}}'] }, {}, []],
    [
      'names of a certificate',
      'name in the provider’s certificate',
      {},
      { overrideAllowedServerNames: ['A.example'] },
      [['trust', 'its own or "a.example"', ['its own', 'a.example']]],
    ],
    ['algorithms of people', 'signing algorithm', people, {}, [['trust', '"RS256"', ['RS256']]]],
    [
      'algorithms',
      'signing algorithm',
      {},
      { jwtSupportedAlgs: ['ES256'] },
      [['trust', '"ES256"', ['ES256']]],
    ],
    ['an issuer', 'issuer', {}, { boundIssuer: 'i' }, [['trust', '"i"', equal('i', 'iss')]]],
    ['an issuer of people', 'issuer', people, { boundIssuer: 'i' }, []],
    ['no issuer', 'issuer', {}, { boundIssuer: '' }, []],
    ['a client', 'client', people, { oidcClientId: 'c' }, [['trust', '"c"', ['c']]]],
    ['the client of a token', 'client', {}, { oidcClientId: 'c' }, []],
    ['no client', 'client', people, {}, []],
    [
      'groups of the token',
      'source of groups',
      { groupsClaim: 'g' },
      {},
      [['trust', 'the token', ['token']]],
    ],
    ['no groups, and no source', 'source of groups', {}, {}, []],
    [
      'groups of the cloud',
      'source of groups',
      { groupsClaim: 'g' },
      { providerConfig: { provider: 'cloud_directory' } },
      [['trust', 'the token or the cloud directory', ['token', 'cloud']]],
    ],
    [
      'a cloud that no role asks',
      'source of groups',
      {},
      { providerConfig: { provider: 'cloud_directory' } },
      [],
    ],
    [
      'groups of a suite',
      'source of groups',
      { groupsClaim: 'g' },
      { providerConfig: suite },
      [['trust', 'the directory that a@b.example may read', ['["/k","a@b.example"]']]],
    ],
    [
      'groups in groups of a suite',
      'depth of groups in groups',
      { groupsClaim: 'g' },
      { providerConfig: suite },
      [['trust', '3', { most: 3 }]],
    ],
    ['no groups of a suite', 'depth of groups in groups', {}, { providerConfig: suite }, []],
    [
      'a suite that fetches none',
      'depth of groups in groups',
      { groupsClaim: 'g' },
      { providerConfig: { ...suite, fetchGroups: false } },
      [],
    ],
    [
      'what a suite tells of people, read as bounds',
      'providerConfig',
      { boundClaims: { a: 'x' } },
      { providerConfig: suite },
      [
        [
          'trust',
          expect.any(String),
          {
            value:
              '{"provider":"workspace_suite","suiteAdminImpersonate":"a@b.example","suiteServiceAccount":"/k"}',
          },
        ],
      ],
    ],
    [
      'what a suite tells of people, read as metadata',
      'providerConfig',
      { claimMappings: { a: 'x' } },
      { providerConfig: suite },
      [['trust', expect.any(String), expect.anything()]],
    ],
    ['what a suite tells of people, read by no one', 'providerConfig', {}, { providerConfig: suite }, []],
    [
      'a suite that tells nothing of people',
      'providerConfig',
      { boundClaims: { a: 'x' } },
      { providerConfig: { ...suite, fetchUserInfo: false } },
      [],
    ],
    [
      'another provider',
      'providerConfig',
      {},
      { providerConfig: { provider: 'x' } as never },
      [['trust', expect.any(String), { value: '{"provider":"x"}' }]],
    ],
  ])('%s', (_, on, role, config, wanted) => {
    expect(asked(on, role, config)).toEqual(wanted);
  });

  test.each([
    ['sign-in', true],
    ['requested scope', false],
    ['redirect URI', true],
    ['confirmation', false],
    ['address that a token works from', false],
    ['name in the provider’s certificate', false],
    ['signing algorithm', true],
  ])('is one of %s, which may not be missing: %s', (on, single) => {
    expect(isSingle(on, { ...people, groupsClaim: 'g' })).toEqual([single]);
  });

  test('is not known where the method is not', () => {
    const role = { method: 'm', name: 'r', roleType: 'jwt', userClaim: 'sub', groupsClaim: 'g' } as const;
    const trusted = conditionsOf(role, undefined).filter(({ part }) => part === 'trust');
    expect(trusted.map(({ on, accepts }) => ({ on, accepts }))).toEqual([
      { on: 'configuration of auth/m', accepts: { kind: 'exactly', value: notKnown } },
      { on: 'name in the provider’s certificate', accepts: expect.anything() },
    ]);
  });
});

test('a value that is hidden is not quoted', () => {
  expect(quoted(['a', 7, '(hidden 12)', '(hidden x)', 'x (hidden 1)'])).toBe(
    '"a" or 7 or (hidden 12) or "(hidden x)" or "x (hidden 1)"',
  );
});

test('a claim without words is a way, and with words a bound', () => {
  const [way, bound] = ['', 'x'].map((words) => claim('/a/b', { asks: 'text' }, words).part);
  expect([way, bound]).toEqual(['way', 'bound']);
});
