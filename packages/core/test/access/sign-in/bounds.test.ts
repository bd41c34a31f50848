import { describe, expect, test } from '@jest/globals';
import { processorMs } from '../../../../../test/harness/processor-time.ts';
import {
  inclusion,
  isDisjoint,
  type Population,
  populationOf,
  witnessOf,
} from '../../../src/access/sign-in/population.ts';
import type { Role } from '../../../src/graph/resources/role.ts';
import { Budget, OutOfBudget } from '../../../src/graph/values/budget.ts';
import { wideningWords } from '../../../src/words/condition-words.ts';

function whyNot(inner: Population, outer: Population): string {
  const found = inclusion(inner, outer);
  return found.answer === 'no' ? wideningWords(found.because) : found.answer;
}

describe('what is too great to be compared', () => {
  const population = (given: Partial<Role>) =>
    populationOf({ method: 'm', name: 'r', roleType: 'oidc', userClaim: 'sub', ...given }, undefined);
  const claims = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`claim-${at}`, [`a*${at}`, 'b']]));

  test('is told, and not what may be wrong', () => {
    const deep = { boundClaims: { ['/a'.repeat(10_000)]: 'x' } };
    expect(inclusion(population({}), population(deep))).toEqual({
      answer: 'unknown',
      missing: { kind: 'claim-too-deep', claim: 'a', names: 10_000 },
    });
    const glob = (letters: string) => `*${[...letters].join('*')}*`;
    const wild = (letters: string[]) =>
      population({ boundClaims: Object.fromEntries([['a', letters.map(glob)]]), boundClaimsType: 'glob' });
    const inner = wild(['abcdefgh'.repeat(9)]);
    const outer = wild(
      ['hgfedcba'.repeat(9), 'aabbccddeeffgghh'.repeat(5), 'ahbgcfde'.repeat(8)].map((one) => `${one}x`),
    );
    const found = inclusion(inner, outer);
    expect(['no', 'unknown']).toContain(found.answer);
  });

  const numbers = (length: number, make: (at: number) => string) =>
    Array.from({ length }, (_, at) => make(at));
  const cidrs = (first: number) =>
    numbers(20_000, (at) => `${first}.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
  const globs = (first: number) => numbers(5_000, (at) => `team-${first + at}-*`);
  const bound = (sub: string[]): Partial<Role> => ({ boundClaimsType: 'glob', boundClaims: { sub } });
  test.each<[string, Partial<Role>, Partial<Role>, boolean, string]>([
    ['addresses', { tokenBoundCidrs: cidrs(10) }, { tokenBoundCidrs: cidrs(11) }, true, 'may be 11.0.0.0'],
    ['patterns', bound(globs(0)), bound(globs(1)), false, 'may be "team-5000-x"'],
  ])('thousands of %s are compared in a moment', (_, one, other, isApart, because) => {
    const [was, is] = [population(one), population(other)];
    const started = process.cpuUsage();
    expect(isDisjoint(was, is)).toBe(isApart);
    expect(whyNot(is, was)).toContain(because);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(4);
  });

  test('counts as undecided once the budget of a decision is spent', () => {
    const budget = new Budget();
    expect(() => budget.spend(Number.POSITIVE_INFINITY, 'paths')).toThrow(OutOfBudget);
    const [inner, outer] = [bound(['a*']), bound(['b*'])].map(population);
    if (inner === undefined || outer === undefined) throw new Error();
    const missing = { kind: 'budget', of: 'patterns', claim: 'sub' };
    expect(inclusion(inner, outer, budget)).toEqual({ answer: 'unknown', missing });
    expect(isDisjoint(inner, outer, budget)).toBe(false);
    expect(witnessOf(inner, [], budget)).toBeUndefined();
  });

  test('is far beyond what people write', async () => {
    const [inner, outer] = [claims(1_000), claims(1_001)].map((boundClaims) =>
      population({ boundClaims, boundClaimsType: 'glob' }),
    );
    if (inner === undefined || outer === undefined) throw new Error();
    const took = await processorMs(() => {
      expect(inclusion(outer, inner)).toEqual({ answer: 'yes' });
      expect(whyNot(inner, outer)).toBe('claim claim-1000 need not be like "a*1000" or "b"');
    });
    expect(took).toBeLessThan(2_000);
  });
});
