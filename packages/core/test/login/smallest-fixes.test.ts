import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { LoginReason, LoginRefused, loginSteps } from '../../src/login/login-refused.ts';
import type { LoginRole } from '../../src/login/login-role.ts';
import { signInByClaims } from '../../src/login/sign-in.ts';
import { type Situation, smallestFixes } from '../../src/login/smallest-fixes.ts';

const role: LoginRole = { name: 'web', roleType: 'jwt', userClaim: 'sub', boundAudiences: ['app'] };
const claims = { sub: 'ann', aud: 'app', exp: 8e12, iat: 1 };

/** The same judge, whose refusals say nothing in words: only their codes are left. */
const judge = async (situation: Situation) => {
  const answer = await signInByClaims({
    config: situation.config,
    roleName: situation.role.name,
    role: () => situation.role,
    claims: situation.claims,
    addressAllowed: () => true,
    now: 1_800_000_000_000_000_000n,
  });
  return answer instanceof LoginRefused ? new LoginRefused(answer.reason, 'no', answer.claim) : answer;
};
const fixes = async (fields: Partial<LoginRole>, given: object = {}, config: object = {}) => {
  const found = await smallestFixes(
    { role: { ...role, ...fields }, config, claims: { ...claims, ...given } },
    judge,
  );
  return found.map((fix) => fix.map(({ text }) => text));
};

describe('the ways past a refusal, whatever its words', () => {
  /** Fields of the role, claims of the token (null: not there) and the method's configuration. */
  const cases: Record<string, [given: string, ...fixes: string[]]> = {
    'an audience': ['| aud: other', 'add "other" to boundAudiences'],
    'an audience that nothing binds': ['boundAudiences: []', 'set boundAudiences to "app"'],
    'a subject': ['boundSubject: bob', 'set boundSubject to "ann"'],
    'an issuer': ['| iss: i | boundIssuer: j', 'set boundIssuer to "i"'],
    'a time': ['| exp: 2', 'present a token that is valid now'],
    'a token without times': ['| exp: null, iat: null', 'present a token that is valid now'],
    'a user claim': ['userClaim: email', 'set userClaim to sub'],
    'a mapped claim': ['claimMappings: {list: l, sub: s} | list: [x]', 'take "list" out of claimMappings'],
    'two mapped claims': [
      'claimMappings: {a: a, b: b} | a: [1], b: [1]',
      'take "a" out of claimMappings and take "b" out of claimMappings',
    ],
    'an empty name': ["userClaim: nick | nick: ''", 'set userClaim to sub'],
    'the policy root': ['policies: [a, root]', 'take "root" out of policies'],
    'a bound claim': ['boundClaims: {team: x} | team: y', 'bind "team" to "y" too'],
    'two bound claims': [
      'boundClaims: {team: x, ref: main} | team: y, ref: dev',
      'bind "team" to "y" too and bind "ref" to "dev" too',
    ],
    'an issuer that the token does not name': ['|  | boundIssuer: j'],
    'a subject that is not there': ['boundSubject: b, userClaim: id | sub: null, id: i'],
    'a subject and an audience': [
      'boundSubject: bob | aud: other',
      'set boundSubject to "ann" and add "other" to boundAudiences',
    ],
    'a user claim, by all claims that name a person': [
      'userClaim: id | email: e, preferred_username: p, name: n, nickname: x',
      'set userClaim to sub',
      'set userClaim to email',
      'set userClaim to preferred_username',
      'set userClaim to name',
    ],
    'a user claim that is a pointer': ['userClaim: /a/b | sub: null, a: {b: x}', 'set userClaimJsonPointer'],
    'a user claim that nothing can be for': ['userClaim: id | sub: null, email: 7'],
    groups: [
      'groupsClaim: groups | roles: [a], aud: [app], amr: [pwd], mixed: [a, 7], all: x',
      'set groupsClaim to "roles"',
      'leave groupsClaim out: then no one is in a group',
      'have the provider send "groups"',
    ],
    'a glob that is taken for a text': [
      'boundClaims: {ref: a*} | ref: ab',
      'bind "ref" to "ab" too',
      'set boundClaimsType to glob',
    ],
    'a glob among other values': [
      'boundClaims: {ref: [x, a*]} | ref: [ab]',
      'bind "ref" to "ab" too',
      'set boundClaimsType to glob',
    ],
    'a text where globs are': [
      'boundClaims: {ref: a*}, boundClaimsType: glob | ref: b',
      'bind "ref" to "b" too',
    ],
    'a change that is of use only after another': [
      'boundClaims: {team: x*, ref: m*} | team: y, ref: main',
      'bind "team" to "y" too and bind "ref" to "main" too',
      'bind "team" to "y" too and set boundClaimsType to glob',
    ],
    'a bound claim that is not there': [
      'boundClaims: {team: x}',
      'bind "team" no longer (it lets others in as well)',
    ],
    'a template that cannot be filled in': ["policies: ['of-{{.team}}'], tokenPoliciesTemplateClaims: true"],
    'an empty name, and no other': ["userClaim: nick | nick: '', sub: null"],
    nothing: [''],
  };
  test.each(Object.entries(cases))('%s', async (_, [given, ...expected]) => {
    const [fields = {}, token = {}, config] = given.split('|').map((text) => parse(`{${text}}`));
    const claims = Object.entries(token).map(([name, value]) => [name, value ?? undefined]);
    const found = await fixes(fields, Object.fromEntries(claims), config);
    expect(found.map((fix) => fix.join(' and '))).toEqual(expected);
  });
});

const sent = 'have the provider send "sub"';
test.each<[string, Partial<LoginRole>, object, ...string[][]]>([
  ['an issuer', {}, { iss: 'j' }, ['set oidcDiscoveryUrl to "j"']],
  ['no issuer', {}, { iss: undefined }],
  [
    'another client',
    {},
    { azp: 'web' },
    ['set oidcClientId to "web"'],
    ['present a token that was issued to "app"'],
  ],
  ['no subject', { userClaim: 'id' }, { sub: undefined, id: 'i' }, [sent]],
  ['no bound subject', { userClaim: 'id', boundSubject: 'bob' }, { sub: undefined, id: 'i' }, [sent]],
  ['an old sign-in', { maxAge: 60 }, { auth_time: 1 }, ['sign in at the provider again']],
])('the ways past an ID token with %s', async (_, fields, given, ...expected) => {
  const config = { oidcDiscoveryUrl: 'i', oidcClientId: 'app' };
  const found = await fixes({ roleType: 'oidc', ...fields }, { iss: 'i', ...given }, config);
  expect(found).toEqual(expected);
});

describe('what is tried', () => {
  test('keeps the values that were bound', async () => {
    const tried: Situation[] = [];
    const bound = { boundAudiences: ['app', 'web'], boundClaims: { team: ['x', 'z'] } };
    const from = { role: { ...role, ...bound }, config: {}, claims: { ...claims, aud: 'other', team: 'y' } };
    await smallestFixes(from, (situation) => {
      tried.push(situation);
      return judge(situation);
    });
    expect(tried.at(-1)?.role).toMatchObject({
      boundAudiences: ['app', 'web', 'other'],
      boundClaims: { team: ['x', 'z', 'y'] },
    });
  });

  test('is four changes at most', async () => {
    const bound = (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `c${at}`);
      const all = (value: string) => Object.fromEntries(names.map((name) => [name, value]));
      return fixes({ boundClaims: all('x') }, all('y'));
    };
    expect((await bound(4)).map((fix) => fix.length)).toEqual([4]);
    expect(await bound(5)).toEqual([]);
  });

  test.each([
    LoginReason.roleUnknown,
    LoginReason.sourceAddress,
    LoginReason.signature,
    LoginReason.tokenMalformed,
  ])('is nothing where a sign-in is refused for %s', async (reason) => {
    const situation = { role: { ...role, policies: ['a'] }, config: {}, claims };
    let asked = 0;
    const found = await smallestFixes(situation, () => {
      asked += 1;
      return new LoginRefused(reason, 'no');
    });
    expect([found, asked]).toEqual([[], 1]);
  });
});

test('every reason has one of the ten steps before its dot', () => {
  const steps = Object.values(LoginReason).map((reason) => new LoginRefused(reason, '').step);
  expect([...new Set(steps)]).toEqual(loginSteps);
});
