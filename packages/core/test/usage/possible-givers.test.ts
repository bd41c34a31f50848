import { describe, expect, test } from '@jest/globals';
import { givenPolicies, type LoggedPolicies, type PossibleGiver } from '../../src/usage/possible-givers.ts';

const giver = (key: string, before: string[], after = before, rest: Partial<PossibleGiver> = {}) => ({
  key,
  policies: { before, after },
  changesMembers: false,
  isOpen: false,
  ...rest,
});

/** What principals have after a change who had some policies by groups. */
function given(inside: string[], givers: PossibleGiver[], rest: Partial<LoggedPolicies<PossibleGiver>> = {}) {
  const own = { before: new Set<string>(), after: new Set<string>() };
  const had = new Set(inside);
  const logged = { inside: had, seen: had, own, givers, isKnown: true, isReached: () => true, ...rest };
  const { sure, maybe } = givenPolicies(logged, 'after');
  const doubts = [...maybe].map(([policy, doubt]) =>
    'giver' in doubt ? `${policy} by ${doubt.giver.key}` : `${policy} elsewhere`,
  );
  return { sure: [...sure].sort(), maybe: doubts.sort() };
}

describe('the policies that principals have by what a log does not name', () => {
  test('are those of the only one that gives what they had, before and after', () => {
    expect(given(['a'], [giver('x', ['a'], ['a', 'b'])])).toEqual({ sure: ['a', 'b'], maybe: [] });
    expect(given(['a'], [giver('x', ['a'], [])])).toEqual({ sure: [], maybe: [] });
    expect(given(['a'], [giver('x', ['a'], []), giver('y', ['c'])])).toEqual({ sure: [], maybe: [] });
  });

  test('may be those of each of two that give the same', () => {
    const two = [giver('x', ['a'], ['a', 'b']), giver('y', ['a'])];
    expect(given(['a'], two)).toEqual({ sure: ['a'], maybe: ['b by x'] });
    expect(given(['a'], [giver('x', ['a'], []), giver('y', ['a'])])).toEqual({ sure: [], maybe: ['a by y'] });
  });

  test('may be those of one that is new, or that others are in now', () => {
    expect(given([], [giver('new', [], ['deny'])])).toEqual({ sure: [], maybe: ['deny by new'] });
    const moved = giver('x', ['a'], ['a'], { changesMembers: true });
    expect(given(['a'], [moved])).toEqual({ sure: [], maybe: ['a by x'] });
    expect(given([], [moved])).toEqual({ sure: [], maybe: ['a by x'] });
  });

  test('may be given elsewhere, where not all is known', () => {
    const isKnown = { isKnown: false };
    expect(given(['a'], [], isKnown)).toEqual({ sure: ['a'], maybe: [] });
    expect(given(['a'], [giver('x', ['a'], [])], isKnown)).toEqual({ sure: [], maybe: ['a elsewhere'] });
    expect(given(['a'], [])).toEqual({ sure: [], maybe: [] });
  });

  test('may be those of any where they do not explain what they had', () => {
    expect(given(['old'], [giver('x', ['a'])])).toEqual({ sure: [], maybe: ['a by x'] });
  });

  test('may be those of one that a sign-in leads to and that they were seen with', () => {
    const seen = { seen: new Set(['a']) };
    expect(given([], [giver('x', ['a'])], seen)).toEqual({ sure: [], maybe: ['a by x'] });
    expect(given([], [giver('x', ['a'])], { ...seen, isReached: () => false })).toEqual({
      sure: [],
      maybe: [],
    });
  });

  test('are not what they have by themselves', () => {
    const own = { before: new Set(['a']), after: new Set<string>() };
    expect(given(['a'], [giver('x', ['a'])], { own })).toEqual({ sure: [], maybe: ['a by x'] });
  });
});
