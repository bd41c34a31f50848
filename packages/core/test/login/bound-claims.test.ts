import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkBoundClaims, matchesGlob } from '../../src/login/bound-claims.ts';
import { LoginReason, type LoginRefused } from '../../src/login/login-refused.ts';
import type { LoginRole } from '../../src/login/login-role.ts';

/** Why a claim `a` is refused for what is bound of it; undefined where it is not. */
function refusal(bound: unknown, value: unknown, boundClaimsType?: 'glob') {
  const role = { name: 'r', roleType: 'jwt', userClaim: 'sub', boundClaimsType } as const;
  try {
    checkBoundClaims({ ...role, boundClaims: { a: bound } as LoginRole['boundClaims'] }, { a: value });
    return undefined;
  } catch (error) {
    const { reason, claim } = error as LoginRefused;
    expect(claim).toBe('a');
    return reason;
  }
}

// Types are strict (docs/inside/measured/sign-in.md#jwt-login-in-this-order); packages/core/test/login/openbao-cases.ts
// asks a real server.
describe('a bound claim', () => {
  test.each([
    ['x', 'x'],
    ['x', ['y', 'x']],
    [['x', 'y'], 'y'],
    [
      ['x', 'y'],
      ['z', 'y'],
    ],
    [true, true],
    [true, [false, true]],
    [7, 7],
    [[6, 7], 7],
    [7, 7.9],
    [2 ** 53 - 1, 2 ** 53 - 1],
  ])('%j lets in %j', (bound, value) => {
    expect(refusal(bound, value)).toBeUndefined();
  });

  test.each([
    ['x', 'X'],
    ['x*', 'xy'],
    ['x', []],
    ['true', true],
    ['7', 7],
    [7, [7]],
    [7, [6, 7]],
    [2 ** 53, 2 ** 53],
    [[], 'x'],
  ])('%j does not let in %j', (bound, value) => {
    expect(refusal(bound, value)).toBe(LoginReason.boundClaimDiffers);
  });

  test('that is an object equals nothing, not even itself', () => {
    const same = { b: 1 };
    expect(refusal([same], [same])).toBe(LoginReason.boundClaimDiffers);
  });

  test.each([[null], [undefined]])('refuses a claim of %j as missing', (value) => {
    expect(refusal('x', value)).toBe(LoginReason.boundClaimMissing);
  });

  test.each([
    ['x', {}],
    [{ b: 1 }, 'x'],
    [null, 'x'],
  ])('%j refuses %j as malformed', (bound, value) => {
    expect(refusal(bound, value)).toBe(LoginReason.boundClaimMalformed);
  });
});

describe('a bound claim with globs', () => {
  test.each([
    ['a*', 'ab'],
    ['a*', ['x', 'ab']],
    [['b', 'a*'], 'ab'],
    [['a', 7], 'a'],
  ])('%j lets in %j', (bound, value) => {
    expect(refusal(bound, value, 'glob')).toBeUndefined();
  });

  test.each([
    ['*', 7],
    ['*', [true]],
    ['a*', 'ba'],
    ['*ab*ab*', 'ab'],
  ])('%j does not let in %j', (bound, value) => {
    expect(refusal(bound, value, 'glob')).toBe(LoginReason.boundClaimDiffers);
  });

  test.each([[7], [[7, 'a']]])('refuses everyone who comes as far as to what is no text: %j', (bound) => {
    expect(refusal(bound, 'a', 'glob')).toBe(LoginReason.boundClaimMalformed);
  });
});

test('globs match as the regular expression of the same meaning does', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.') });
  fc.assert(
    fc.property(text, text, (pattern, given) => {
      const parts = pattern.split('*').map((part) => part.replaceAll('.', '\\.'));
      expect(matchesGlob(pattern, given)).toBe(new RegExp(`^${parts.join('.*')}$`).test(given));
    }),
  );
});
