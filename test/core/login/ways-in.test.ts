import { describe, expect, test } from '@jest/globals';
import { LoginReason, LoginRefused, loginSteps } from '../../../core/login/login-refused.ts';
import type { LoginRole } from '../../../core/login/login-role.ts';
import { signInByClaims } from '../../../core/login/sign-in.ts';
import { type Situation, waysIn } from '../../../core/login/ways-in.ts';

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
const ways = async (more: Partial<LoginRole>, given: object = {}, config: object = {}) => {
  const found = await waysIn({ role: { ...role, ...more }, config, claims: { ...claims, ...given } }, judge);
  return found.map((way) => way.map(({ text }) => text));
};

describe('the ways past a refusal, whatever its words', () => {
  test.each<[string, Partial<LoginRole>, object, object, string[][]]>([
    ['an audience', {}, { aud: 'other' }, {}, [['add "other" to boundAudiences']]],
    ['an audience that nothing binds', { boundAudiences: [] }, {}, {}, [['set boundAudiences to "app"']]],
    ['a subject', { boundSubject: 'bob' }, {}, {}, [['set boundSubject to "ann"']]],
    ['an issuer', {}, { iss: 'i' }, { boundIssuer: 'j' }, [['set boundIssuer to "i"']]],
    ['a time', {}, { exp: 2 }, {}, [['present a token that is valid now']]],
    [
      'a token without times',
      {},
      { exp: undefined, iat: undefined },
      {},
      [['present a token that is valid now']],
    ],
    ['a user claim', { userClaim: 'email' }, {}, {}, [['set userClaim to sub']]],
    [
      'a mapped claim',
      { claimMappings: { list: 'l', sub: 's' } },
      { list: ['x'] },
      {},
      [['take "list" out of claimMappings']],
    ],
    [
      'two mapped claims',
      { claimMappings: { a: 'a', b: 'b' } },
      { a: [1], b: [1] },
      {},
      [['take "a" out of claimMappings', 'take "b" out of claimMappings']],
    ],
    ['an empty name', { userClaim: 'nick' }, { nick: '' }, {}, [['set userClaim to sub']]],
    ['the policy root', { policies: ['a', 'root'] }, {}, {}, [['take "root" out of policies']]],
    ['a bound claim', { boundClaims: { team: 'x' } }, { team: 'y' }, {}, [['bind "team" to "y" too']]],
    [
      'two bound claims',
      { boundClaims: { team: 'x', ref: 'main' } },
      { team: 'y', ref: 'dev' },
      {},
      [['bind "team" to "y" too', 'bind "ref" to "dev" too']],
    ],
  ])('%s', async (_, more, given, config, expected) => {
    expect(await ways(more, given, config)).toEqual(expected);
  });
});

test('every reason has one of the ten steps before its dot', () => {
  const steps = Object.values(LoginReason).map((reason) => new LoginRefused(reason, '').step);
  expect([...new Set(steps)]).toEqual(loginSteps);
});
