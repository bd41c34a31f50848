import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type Accepted, conditionsOf, notKnown } from '../../../src/access/sign-in/conditions.ts';
import type { AuthMethod, MethodConfig } from '../../../src/graph/resources/auth-method.ts';
import type { ProviderConfig } from '../../../src/graph/resources/provider-config.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { conditionWords, quoted, respectWords } from '../../../src/words/condition-words.ts';
import { bareRole } from '../../review/graphs.ts';

const people: Partial<Role> = { roleType: 'oidc' };
const conditions = (role: Partial<Role>, config: MethodConfig | undefined = {}) => {
  const method: AuthMethod = { path: 'm', type: 'jwt', config };
  return conditionsOf(bareRole(role), method);
};
const suite: Extract<ProviderConfig, { provider: 'workspace_suite' }> = {
  provider: 'workspace_suite',
  suiteServiceAccount: '/k',
  suiteAdminImpersonate: 'a@b.example',
  fetchGroups: true,
  fetchUserInfo: true,
  groupsRecurseMaxDepth: 3,
};
/** The fields of a text, with those that a word in front stands for. */
const withWord = (word: string, text: string): [isThere: boolean, fields: object] => {
  const isThere = text.split(' ')[0] === word;
  return [isThere, parse(`{${isThere ? text.slice(word.length) : text}}`)];
};
const roleOf = (text: string): Partial<Role> => {
  const [isOfPeople, fields] = withWord('oidc', text);
  return { ...(isOfPeople && people), ...fields };
};
const configOf = (text: string): MethodConfig => {
  const [isSuite, fields] = withWord('suite', text);
  return isSuite ? { providerConfig: { ...suite, ...fields } } : fields;
};
/** What is asked in one respect: the part, the words, and what is accepted. */
const asked = (about: string, role: Partial<Role>, config?: MethodConfig) =>
  conditions(role, config)
    .filter((one) => respectWords(one.about) === about)
    .map((one) =>
      one.accepts.kind === 'exactly'
        ? one.accepts.value
        : `${one.part} ${conditionWords(one)}: ${textOf(one.accepts)}`.trim(),
    );

function textOf(accepts: Accepted): string {
  if (accepts.kind === 'members') return accepts.members.map(({ id }) => id).join(' | ');
  if (accepts.kind === 'addresses') return accepts.cidrs.join(' | ');
  if (accepts.kind !== 'claim') return `${accepts.kind === 'up to' ? accepts.most : accepts.value}`;
  const { at, demand } = accepts;
  const values = demand.asks === 'one of' ? demand.bound : 'text' in demand ? [demand.text] : [];
  const isGlob = demand.asks === 'one of' && demand.isGlob;
  return `${at.join(' > ')} ${demand.asks} ${values.join(' | ')}${isGlob ? ' as globs' : ''}`.trim();
}

const isSingle = (about: string, role: Partial<Role>) =>
  conditions(role)
    .filter((one) => respectWords(one.about) === about)
    .map(({ accepts }) => accepts.kind === 'members' && accepts.isSingle);

// docs/inside/measured/sign-in.md#jwt-login-in-this-order
describe('what a sign-in must fulfill', () => {
  const cases: Record<string, Record<string, string>> = {
    'sign-in': { '': 'way by token: jwt', oidc: 'way by browser: oidc' },
    'claim sub': {
      'boundSubject: s': 'bound "s": sub equal s; way : sub text',
      "boundSubject: '', userClaim: id": '',
      'userClaim: sub, userClaimJsonPointer: true': 'way : sub text',
    },
    audience: {
      'boundAudiences: [a, b] at oidcClientId: c': 'bound "a" or "b": aud one of a | b',
      'boundAudiences: [a] at oidcClientId: c': 'bound "a": aud one of a',
      'at oidcClientId: c': 'bound none: aud no values',
      'oidc at oidcClientId: c': 'trust "c": aud one of c',
      oidc: '',
    },
    'claim a': {
      'boundClaims: {a: x*}': 'bound "x*": a one of x*',
      'boundClaims: {/a: [y, x*]}, boundClaimsType: glob': 'bound like "y" or "x*": a one of y | x* as globs',
      'boundClaims: {a: [x, 7]}, boundClaimsType: glob': 'bound "x": a one of x | 7 as globs',
      'boundClaims: {a: [7, x]}, boundClaimsType: glob':
        'bound without a possible value: a one of 7 | x as globs',
      'boundClaims: {a: []}': 'bound without a possible value: a one of',
      'claimMappings: {a: b}': 'way : a text if there',
      "policies: ['of-{{.a}}']": '',
    },
    'source address': {
      'tokenBoundCidrs: [10.0.0.0/8, ::1]': 'bound 10.0.0.0/8 or ::1: 10.0.0.0/8 | ::1',
      'tokenBoundCidrs: []': '',
    },
    'claim /a/b': {
      'userClaim: /a/b, userClaimJsonPointer: true': 'way : a > b text',
      'userClaim: /a/b': 'way : /a/b text',
    },
    'claim aud': {
      'userClaim: aud': 'way : aud text',
      'userClaim: aud, userClaimJsonPointer: true': 'way : aud the impossible',
      'claimMappings: {aud: b}': 'way : aud no value',
    },
    'claim g': { 'groupsClaim: g': 'way : g texts', 'groupsClaim: g at suite': '' },
    'claim ': { "groupsClaim: ''": '' },
    'requested scope': {
      'oidc groupsClaim: g, oidcScopes: [openid, a]': 'way "a": a',
      'oidc claimMappings: {email: e}, oidcScopes: [a]': 'way "a": a',
      'oidc boundClaims: {/a/sub: e}, oidcScopes: [a]': 'way "a": a',
      'oidc boundClaims: {/sub: e, iss: i, aud: a}, oidcScopes: [a]': '',
      'groupsClaim: g, oidcScopes: [a]': '',
    },
    'redirect URI': {
      'oidc allowedRedirectUris: [http://localhost:9/a, https://b.example/c]':
        'way http://localhost:9/a or https://b.example/c: http://localhost/a | https://b.example/c',
      'allowedRedirectUris: [https://b.example/c]': '',
      "oidc allowedRedirectUris: [https://a.example:444/, 'http://[::1]:8250/', nonsense]":
        'way https://a.example:444/ or http://[::1]:8250/ or nonsense: https://a.example:444/ | http://[::1]/ | nonsense',
    },
    callbackMode: { oidc: 'client', 'oidc callbackMode: direct': 'direct', '': '' },
    confirmation: {
      oidc: 'way asked for: asked',
      'oidc oidcDisableConfirmation: true': 'way asked for or left out: asked | not',
      '': '',
    },
    'address that a token works from': {
      '': 'way where it signed in or another: same | other',
      'tokenStrictlyBindIp: true': 'way where it signed in: same',
    },
    policies: { 'policies: [a, Root]': 'way some that no sign-in gives: policies the impossible' },
    'claim a.b': { "policies: ['of-{{.a.b}}'], tokenPoliciesTemplateClaims: true": 'way : a > b a value' },
    'name in the provider’s certificate': {
      'at overrideAllowedServerNames: [A.example]': 'trust its own or "a.example": its own | a.example',
    },
    'signing algorithm': {
      oidc: 'trust "RS256": RS256',
      'at jwtSupportedAlgs: [ES256]': 'trust "ES256": ES256',
    },
    issuer: {
      'at boundIssuer: i': 'trust "i": iss equal i',
      'oidc at boundIssuer: i': '',
      "at boundIssuer: ''": '',
    },
    'signing keys': {
      'oidc at jwksUrl: https://id.example/keys': 'trust :',
    },
    'source of groups': {
      'groupsClaim: g at suite fetchGroups: false': 'trust :',
      'groupsClaim: g': 'trust the token: token',
      '': '',
      'groupsClaim: g at providerConfig: {provider: cloud_directory}':
        'trust the token or the cloud directory: token | cloud',
      'at providerConfig: {provider: cloud_directory}': '',
      'groupsClaim: g at suite': 'trust the directory that a@b.example may read: ["/k","a@b.example"]',
    },
    client: { 'oidc at oidcClientId: c': 'trust "c": c', 'at oidcClientId: c': '', oidc: '' },
    'several audiences': {
      'oidc at oidcClientId: c': 'trust with "c": aud one of several c',
      'at oidcClientId: c': '',
    },
    'depth of groups in groups': {
      'groupsClaim: g at suite': 'trust 3: 3',
      'at suite': '',
      'groupsClaim: g at suite fetchGroups: false': '',
    },
    providerConfig: {
      'boundClaims: {a: x} at suite':
        '{"provider":"workspace_suite","suiteAdminImpersonate":"a@b.example","suiteServiceAccount":"/k"}',
      'claimMappings: {a: x} at suite':
        '{"provider":"workspace_suite","suiteAdminImpersonate":"a@b.example","suiteServiceAccount":"/k"}',
      'at suite': '',
      'boundClaims: {a: x} at suite fetchUserInfo: false': '',
      'at providerConfig: {provider: x}': '{"provider":"x"}',
    },
  };
  const all = Object.entries(cases).flatMap(([about, given]) =>
    Object.entries(given).map(([of, wanted]) => [about, of, wanted] as const),
  );
  test.each(all)('%s of %s', (about, given, wanted) => {
    const [role = '', config = ''] = given.split(/(?:^| )at /);
    expect(asked(about, roleOf(role), configOf(config)).join('; ')).toBe(wanted);
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
    expect(trusted.map(({ about, accepts }) => ({ on: respectWords(about), accepts }))).toEqual([
      { on: 'configuration of method m', accepts: { kind: 'exactly', value: notKnown } },
      { on: 'name in the provider’s certificate', accepts: expect.anything() },
    ]);
  });
});

test('a value that is hidden is not quoted', () => {
  expect(quoted(['a', 7, '(hidden 12)', '(hidden x)', 'x (hidden 1)'])).toBe(
    '"a" or 7 or (hidden 12) or "(hidden x)" or "x (hidden 1)"',
  );
});
