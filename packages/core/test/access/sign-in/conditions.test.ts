import { describe, expect, test } from '@jest/globals';
import {
  type Accepted,
  claim,
  conditionsOf,
  notKnown,
  quoted,
} from '../../../src/access/sign-in/conditions.ts';
import type { AuthMethod, MethodConfig } from '../../../src/graph/resources/auth-method.ts';
import type { ProviderConfig } from '../../../src/graph/resources/provider-config.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { bareRole } from '../../review/graphs.ts';

const people: Partial<Role> = { roleType: 'oidc' };
const conditions = (role: Partial<Role>, config: MethodConfig | undefined = {}) => {
  const method: AuthMethod = { path: 'm', type: 'jwt', config };
  return conditionsOf(bareRole(role), method);
};
/** What is asked in one respect: the part, the words, and what is accepted. */
const asked = (about: string, role: Partial<Role>, config?: MethodConfig) =>
  conditions(role, config)
    .filter((one) => one.about === about)
    .map(({ accepts, words, part }) =>
      accepts.kind === 'exactly' ? accepts.value : `${part} ${words}: ${textOf(accepts)}`.trim(),
    );

function textOf(accepts: Accepted): string {
  if (accepts.kind === 'members') return accepts.members.map(({ id }) => id).join(' | ');
  if (accepts.kind === 'addresses') return accepts.cidrs.join(' | ');
  if (accepts.kind !== 'claim') return `${accepts.kind === 'up to' ? accepts.most : accepts.value}`;
  const { at, demand } = accepts;
  const values = demand.asks === 'one of' ? demand.bound : demand.asks === 'equal' ? [demand.text] : [];
  const isGlob = demand.asks === 'one of' && demand.isGlob;
  return `${at.join(' > ')} ${demand.asks} ${values.join(' | ')}${isGlob ? ' as globs' : ''}`.trim();
}

const isSingle = (about: string, role: Partial<Role>) =>
  conditions(role)
    .filter((one) => one.about === about)
    .map(({ accepts }) => accepts.kind === 'members' && accepts.isSingle);

// facts/jwt-oidc.md
describe('what a sign-in must fulfill', () => {
  const suite: Extract<ProviderConfig, { provider: 'workspace_suite' }> = {
    provider: 'workspace_suite',
    ...{ suiteServiceAccount: '/k', suiteAdminImpersonate: 'a@b.example' },
    ...{ fetchGroups: true, fetchUserInfo: true, groupsRecurseMaxDepth: 3 },
  };

  test.each<[about: string, Partial<Role>, MethodConfig, ...wanted: string[]]>([
    ['sign-in', {}, {}, 'way by token: jwt'],
    ['sign-in', people, {}, 'way by browser: oidc'],
    ['claim sub', { boundSubject: 's' }, {}, 'bound "s": sub equal s', 'way : sub text'],
    ['claim sub', { boundSubject: '', userClaim: 'id' }, {}],
    ['audience', { boundAudiences: ['a', 'b'] }, { oidcClientId: 'c' }, 'bound "a" or "b": aud one of a | b'],
    ['audience', { boundAudiences: ['a'] }, { oidcClientId: 'c' }, 'bound "a": aud one of a'],
    ['audience', {}, { oidcClientId: 'c' }, 'bound none: aud no values'],
    ['audience', people, { oidcClientId: 'c' }, 'trust "c": aud one of c'],
    ['audience', people, {}],
    ['claim a', { boundClaims: { a: 'x*' } }, {}, 'bound "x*": a one of x*'],
    [
      'claim a',
      { boundClaims: { '/a': ['y', 'x*'] }, boundClaimsType: 'glob' },
      {},
      'bound like "y" or "x*": a one of y | x* as globs',
    ],
    [
      'claim a',
      { boundClaims: { a: ['x', 7] }, boundClaimsType: 'glob' },
      {},
      'bound "x" or 7: a one of x | 7 as globs',
    ],
    [
      'source address',
      { tokenBoundCidrs: ['10.0.0.0/8', '::1'] },
      {},
      'bound 10.0.0.0/8 or ::1: 10.0.0.0/8 | ::1',
    ],
    ['source address', { tokenBoundCidrs: [] }, {}],
    ['claim /a/b', { userClaim: '/a/b', userClaimJsonPointer: true }, {}, 'way : a > b text'],
    ['claim /a/b', { userClaim: '/a/b' }, {}, 'way : /a/b text'],
    ['claim aud', { userClaim: 'aud' }, {}, 'way : aud text'],
    ['claim aud', { userClaim: 'aud', userClaimJsonPointer: true }, {}, 'way : aud the impossible'],
    ['claim sub', { userClaim: 'sub', userClaimJsonPointer: true }, {}, 'way : sub text'],
    ['claim a', { claimMappings: { a: 'b' } }, {}, 'way : a text if there'],
    ['claim aud', { claimMappings: { aud: 'b' } }, {}, 'way : aud no value'],
    ['claim g', { groupsClaim: 'g' }, {}, 'way : g texts'],
    ['claim ', { groupsClaim: '' }, {}],
    ['claim g', { groupsClaim: 'g' }, { providerConfig: suite }],
    ['requested scope', { ...people, groupsClaim: 'g', oidcScopes: ['openid', 'a'] }, {}, 'way "a": a'],
    ['requested scope', { ...people, claimMappings: { email: 'e' }, oidcScopes: ['a'] }, {}, 'way "a": a'],
    ['requested scope', { ...people, boundClaims: { '/a/sub': 'e' }, oidcScopes: ['a'] }, {}, 'way "a": a'],
    [
      'requested scope',
      { ...people, boundClaims: { '/sub': 'e', iss: 'i', aud: 'a' }, oidcScopes: ['a'] },
      {},
    ],
    ['requested scope', { groupsClaim: 'g', oidcScopes: ['a'] }, {}],
    [
      'redirect URI',
      { ...people, allowedRedirectUris: ['http://localhost:9/a', 'https://b.example/c'] },
      {},
      'way http://localhost:9/a or https://b.example/c: http://localhost/a | https://b.example/c',
    ],
    ['redirect URI', { allowedRedirectUris: ['https://b.example/c'] }, {}],
    ['callbackMode', people, {}, 'client'],
    ['callbackMode', { ...people, callbackMode: 'direct' }, {}, 'direct'],
    ['callbackMode', {}, {}],
    ['confirmation', people, {}, 'way asked for: asked'],
    [
      'confirmation',
      { ...people, oidcDisableConfirmation: true },
      {},
      'way asked for or left out: asked | not',
    ],
    ['confirmation', {}, {}],
    ['address that a token works from', {}, {}, 'way where it signed in or another: same | other'],
    ['address that a token works from', { tokenStrictlyBindIp: true }, {}, 'way where it signed in: same'],
    ['policies', { policies: ['a', 'Root'] }, {}, 'way some that no sign-in gives: policies the impossible'],
    [
      'claim a.b',
      { policies: ['of-{{.a.b}}'], tokenPoliciesTemplateClaims: true },
      {},
      'way : a > b a value',
    ],
    ['claim a', { policies: ['of-{{.a}}'] }, {}],
    [
      'name in the provider’s certificate',
      {},
      { overrideAllowedServerNames: ['A.example'] },
      'trust its own or "a.example": its own | a.example',
    ],
    ['signing algorithm', people, {}, 'trust "RS256": RS256'],
    ['signing algorithm', {}, { jwtSupportedAlgs: ['ES256'] }, 'trust "ES256": ES256'],
    ['issuer', {}, { boundIssuer: 'i' }, 'trust "i": iss equal i'],
    ['issuer', people, { boundIssuer: 'i' }],
    ['issuer', {}, { boundIssuer: '' }],
    ['signing keys', people, { jwksUrl: 'https://id.example/keys' }, 'trust :'],
    [
      'source of groups',
      { groupsClaim: 'g' },
      { providerConfig: { ...suite, fetchGroups: false } },
      'trust :',
    ],
    [
      'redirect URI',
      { ...people, allowedRedirectUris: ['https://a.example:444/', 'http://[::1]:8250/', 'nonsense'] },
      {},
      'way https://a.example:444/ or http://[::1]:8250/ or nonsense: https://a.example:444/ | http://[::1]/ | nonsense',
    ],
    ['client', people, { oidcClientId: 'c' }, 'trust "c": c'],
    ['client', {}, { oidcClientId: 'c' }],
    ['client', people, {}],
    ['source of groups', { groupsClaim: 'g' }, {}, 'trust the token: token'],
    ['source of groups', {}, {}],
    [
      'source of groups',
      { groupsClaim: 'g' },
      { providerConfig: { provider: 'cloud_directory' } },
      'trust the token or the cloud directory: token | cloud',
    ],
    ['source of groups', {}, { providerConfig: { provider: 'cloud_directory' } }],
    [
      'source of groups',
      { groupsClaim: 'g' },
      { providerConfig: suite },
      'trust the directory that a@b.example may read: ["/k","a@b.example"]',
    ],
    ['depth of groups in groups', { groupsClaim: 'g' }, { providerConfig: suite }, 'trust 3: 3'],
    ['depth of groups in groups', {}, { providerConfig: suite }],
    ['depth of groups in groups', { groupsClaim: 'g' }, { providerConfig: { ...suite, fetchGroups: false } }],
    [
      'providerConfig',
      { boundClaims: { a: 'x' } },
      { providerConfig: suite },
      '{"provider":"workspace_suite","suiteAdminImpersonate":"a@b.example","suiteServiceAccount":"/k"}',
    ],
    [
      'providerConfig',
      { claimMappings: { a: 'x' } },
      { providerConfig: suite },
      '{"provider":"workspace_suite","suiteAdminImpersonate":"a@b.example","suiteServiceAccount":"/k"}',
    ],
    ['providerConfig', {}, { providerConfig: suite }],
    ['providerConfig', { boundClaims: { a: 'x' } }, { providerConfig: { ...suite, fetchUserInfo: false } }],
    ['providerConfig', {}, { providerConfig: { provider: 'x' } as never }, '{"provider":"x"}'],
  ])('%s of %j at %j', (about, role, config, ...wanted) => {
    expect(asked(about, role, config)).toEqual(wanted);
  });

  test.each([
    ['sign-in', true],
    ['requested scope', false],
    ['redirect URI', true],
    ['confirmation', false],
    ['address that a token works from', false],
    ['name in the provider’s certificate', false],
    ['signing algorithm', true],
  ])('is one of %s, which may not be missing: %s', (about, single) => {
    expect(isSingle(about, { ...people, groupsClaim: 'g' })).toEqual([single]);
  });

  test('is not known where the method is not', () => {
    const trusted = conditionsOf(bareRole({ groupsClaim: 'g' }), undefined).filter(
      ({ part }) => part === 'trust',
    );
    expect(trusted.map(({ about, accepts }) => ({ on: about, accepts }))).toEqual([
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
  const [trust, bound] = ['', 'x'].map((words) => claim('/a/b', { asks: 'text' }, words).part);
  expect([trust, bound]).toEqual(['way', 'bound']);
});
