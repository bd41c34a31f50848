import { describe, expect, test } from '@jest/globals';
import { isIn } from '../../../../test/harness/long-run.ts';
import { everyPath, randomFrom, randomPolicies } from '../../../../test/harness/random-policies.ts';
import { anyRest } from '../../src/access/any-rest.ts';
import type { PolicySides } from '../../src/access/policy-sides.ts';
import { RuleBook } from '../../src/access/rule-book.ts';
import type { Capability, PathRule } from '../../src/graph/policies/parse-policy.ts';
import { aclOf } from './asked-paths.ts';

const rounds = Number(process.env['ROUNDS'] ?? (isIn('npm test') ? 40 : 2_000));
const seed = Number(process.env['SEED'] ?? 20_261_123);
const capabilities = ['read', 'update', 'list'] as const;
const asked = everyPath.filter((_, at) => at % 3 === 0);

const gainOf = (before: PathRule[], after: PathRule[]) => {
  const sides: PolicySides = { before, after, isSame: false };
  return anyRest(new RuleBook(new Map([['p', sides]]), 0n))({ before: ['p'], after: ['p'] });
};

const allowed = (policies: PathRule[][]) => {
  const acl = aclOf(policies);
  return asked.flatMap((path) =>
    capabilities.map((capability) => acl.allows({ path, capability: capability as Capability })),
  );
};

test(`a change that is safe for any rest gains with none of many, seed ${seed}`, () => {
  const missed: unknown[] = [];
  let [safe, undecided] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const next = randomFrom(seed + round);
    const [before = [], other = [], rest = []] = randomPolicies(seed + round, 3, 3);
    // Most changes are of one rule.
    const after = next(3) === 0 ? other : [...before.slice(next(2)), ...other.slice(0, next(2))];
    if (gainOf(before, after) === undefined) safe += 1;
    else {
      undecided += 1;
      continue;
    }
    // Rules on the patterns themselves, and on others that cross them.
    const rests = [[], rest, ...randomPolicies(seed + round * 7, 6, 3)].map((rules) => [
      ...rules,
      ...[...before, ...after]
        .filter(() => next(3) === 0)
        .map(({ path }) => ({
          path,
          capabilities: [['read', 'update', 'list'], ['deny'], ['read'], []][next(4)] as string[],
        })),
    ]);
    for (const unknown of rests) {
      const [was, is] = [allowed([before, unknown]), allowed([after, unknown])];
      if (is.some((one, at) => one && !was[at])) missed.push({ round, before, after, unknown });
    }
  }
  expect(missed.slice(0, 1)).toEqual([]);
  expect(Math.min(safe, undecided)).toBeGreaterThan(rounds / 12);
});

const rule = (path: string, ...given: string[]): PathRule => ({ path, capabilities: given });

describe('what the rest could turn into a gain', () => {
  test.each<[string, PathRule[], PathRule[], 'denial' | 'rule' | undefined]>([
    ['nothing changes', [rule('a', 'read')], [rule('a', 'read')], undefined],
    ['a capability comes', [rule('a', 'read')], [rule('a', 'read', 'update')], 'rule'],
    ['a capability goes', [rule('a', 'read', 'update')], [rule('a', 'read')], undefined],
    ['a denial goes', [rule('a', 'deny')], [], 'denial'],
    ['a denial comes', [], [rule('a', 'deny')], undefined],
    ['a denial becomes a rule without capabilities', [rule('a', 'deny')], [rule('a')], 'denial'],
    ['a rule becomes a denial', [rule('a', 'read')], [rule('a', 'deny')], undefined],
    ['a rule goes, and a broader one may decide', [rule('a', 'read')], [], 'rule'],
    ['a rule without capabilities goes', [rule('a')], [], 'rule'],
    ['a rule comes, and may come before a denial', [], [rule('a', 'read')], 'rule'],
    ['a rule comes that gives nothing', [], [rule('a')], undefined],
    [
      'a narrower rule gives the same',
      [rule('a/*', 'read')],
      [rule('a/*', 'read'), rule('a/b', 'read')],
      'rule',
    ],
    ['a narrower rule denies', [rule('a/*', 'read')], [rule('a/*', 'read'), rule('a/b', 'deny')], undefined],
    ['root has it all', [{ path: '*', capabilities: ['root'] }], [], undefined],
  ])('%s', (_, before, after, by) => {
    expect(gainOf(before, after)?.by).toBe(by);
  });
});

test('limits are united with those of the rest', () => {
  const [free, limited] = [{}, { allowedParameters: { y: [] } }].map((limit) => ({
    ...rule('a', 'update'),
    ...limit,
  }));
  if (free === undefined || limited === undefined) throw new Error();
  expect([gainOf([free], [limited])?.by, gainOf([limited], [free])?.by]).toEqual(['rule', 'rule']);
  expect(gainOf([limited], [{ ...limited, deniedParameters: { x: [] } }])).toBeUndefined();
});

test('a denial that expires is a denial that goes', () => {
  const until = { expires: 5n };
  expect(gainOf([rule('a', 'deny')], [{ ...rule('a', 'deny'), ...until }])).toMatchObject({ by: 'denial' });
  expect(gainOf([{ ...rule('a', 'deny'), ...until }], [rule('a', 'deny')])).toBeUndefined();
});

test('too much to compare is never taken for safe', () => {
  const before = Array.from({ length: 5_000 }, (_, at) => rule(`${'x'.repeat(at + 1)}*`, 'read'));
  const after = before.map((one, at) => (at % 5 === 0 ? rule(one.path, 'read', 'update') : one));
  expect(gainOf(before, after)).toMatchObject({ by: 'budget' });
});
