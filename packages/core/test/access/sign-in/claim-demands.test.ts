import { describe, expect, test } from '@jest/globals';
import { type Reason, Undecidable } from '../../../src/access/reasons/reason.ts';
import {
  type ClaimDemand,
  claimsWith,
  type Demand,
  fulfils,
} from '../../../src/access/sign-in/claim-demands.ts';
import type { BoundValue } from '../../../src/graph/resources/bound-claims.ts';

/** An error with a reason. */
const because = (reason: Reason) => expect.objectContaining({ reason });

const oneOf = (bound: BoundValue[], isGlob = false): Demand => ({ asks: 'one of', bound, isGlob });
const at = (place: string, demand: Demand | Exclude<Demand['asks'], 'equal' | 'one of'>): ClaimDemand => ({
  at: place.split('/'),
  demand: typeof demand === 'string' ? ({ asks: demand } as Demand) : demand,
});
const presented = (...demands: ClaimDemand[]) => claimsWith(demands, undefined, true);
const byBrowser = (...demands: ClaimDemand[]) => claimsWith(demands, undefined, false);

describe('a demand', () => {
  const values = [undefined, null, '', 'x', 7, true, [], ['x'], ['x', 7], {}];
  test.each<[Demand, unknown[]]>([
    [{ asks: 'text' }, ['x']],
    [{ asks: 'text if there' }, [undefined, null, '', 'x']],
    [{ asks: 'texts' }, ['', 'x', [], ['x']]],
    [{ asks: 'texts if there' }, [undefined, null, '', 'x', [], ['x']]],
    [{ asks: 'number if there' }, [undefined, null, 7]],
    [{ asks: 'a value' }, values.slice(1)],
    [{ asks: 'no value' }, [undefined, null]],
    [{ asks: 'no values' }, [undefined, null, []]],
    [{ asks: 'no name' }, [undefined]],
    [{ asks: 'the impossible' }, []],
    [{ asks: 'equal', text: 'x' }, ['x']],
    [oneOf(['x', 7]), ['x', 7, ['x'], ['x', 7]]],
    [oneOf(['*'], true), ['', 'x', ['x'], ['x', 7]]],
    [oneOf(['a*']), []],
  ])('%j is fulfilled by %j', (demand, fulfilling) => {
    expect(values.filter((value) => fulfils(demand, value))).toEqual(fulfilling);
  });

  test('that is broken is no refusal', () => {
    const broken = new Proxy<BoundValue[]>([], {
      get: () => {
        throw new TypeError('broken');
      },
    });
    expect(() => fulfils(oneOf(broken), 'x')).toThrow(TypeError);
  });
});

describe('claims that fulfill demands', () => {
  test.each<[string, ClaimDemand[], object | undefined]>([
    ['a text', [at('a', 'text')], { a: 'x' }],
    ['one of two lists', [at('a', oneOf(['x', 'y'])), at('a', oneOf(['y', 'z']))], { a: 'y' }],
    ['one of each list', [at('a', oneOf(['x'])), at('a', oneOf(['y']))], { a: ['x', 'y'] }],
    ['a number', [at('a', oneOf([7]))], { a: 7 }],
    ['a boolean', [at('a', oneOf([false]))], { a: false }],
    ['a number, and a text in a list', [at('a', oneOf([7])), at('a', oneOf(['x']))], undefined],
    ['a boolean, and a text in a list', [at('a', oneOf([true])), at('a', oneOf(['x']))], { a: [true, 'x'] }],
    ['a text within', [at('a/b', 'text'), at('a/c', 'no value')], { a: { b: 'x' } }],
    ['something that cannot be within', [at('a/b', 'the impossible'), at('c', 'text')], undefined],
    ['a text, and one within', [at('a', 'text'), at('a/b', 'text')], undefined],
    ['any value, and one within', [at('a', 'a value'), at('a/b', 'text')], { a: { b: 'x' } }],
    ['nothing', [], {}],
    ['what is not there', [at('a', 'no name')], {}],
    ['an empty text that is not one', [at('a', oneOf([''])), at('a', 'text')], undefined],
    ['an empty text', [at('a', oneOf(['']))], { a: '' }],
    ['a text that is not empty', [at('a', oneOf(['', 'b'])), at('a', 'text')], { a: 'b' }],
    ['a glob after what is no text', [at('a', oneOf([7, 'x'], true))], undefined],
    ['a glob before what is no text', [at('a', oneOf(['x', 7], true))], { a: 'x' }],
    ['a text and nothing', [at('a', 'text'), at('a', 'no value')], undefined],
  ])('%s', (_, demands, claims) => {
    expect(byBrowser(...demands)).toStrictEqual(claims);
  });

  test.each<[string, ClaimDemand[], ClaimDemand, object | undefined]>([
    ['a value', [at('a', 'text if there')], at('a', 'text'), {}],
    ['one value', [at('a', oneOf(['x', 'y']))], at('a', oneOf(['x'])), { a: 'y' }],
    ['a text if there', [at('a', 'text if there')], at('a', oneOf(['x'])), { a: 'y' }],
    ['another text if there', [at('a', 'text if there')], at('a', { asks: 'equal', text: 'x' }), { a: 'y' }],
    ['nothing', [at('a', 'number if there')], at('a', 'no value'), { a: 1 }],
    ['texts', [at('a', 'a value')], at('a', 'texts if there'), { a: true }],
    ['texts alone', [at('a', oneOf(['x']))], at('a', 'texts'), { a: ['x', {}] }],
    [
      'a boolean',
      [at('a', oneOf([true, false])), at('a', oneOf(['x']))],
      at('a', oneOf([true])),
      { a: [false, 'x'] },
    ],
    ['a text', [at('a', 'texts')], at('a', { asks: 'equal', text: 'x' }), { a: 'y' }],
    ['every value', [at('a', oneOf(['x']))], at('a', oneOf(['x', 'y'])), undefined],
    ['a glob', [at('a', oneOf(['a*'], true))], at('a', oneOf(['ax*'], true)), { a: 'ay' }],
    ['an empty text', [at('a', 'a value')], at('a', 'a value'), undefined],
    ['a number', [at('a', oneOf([7, 8]))], at('a', oneOf([7])), { a: 8 }],
    ['what is within', [], at('a/b', 'a value'), {}],
  ])('but not the one that is refused: %s', (_, demands, refused, claims) => {
    expect(claimsWith(demands, refused, false)).toStrictEqual(claims);
  });
});

// packages/core/src/login/verify-token.ts: what a service reads of every token.
describe('claims of a token that is presented', () => {
  test.each([
    ['iss', undefined],
    ['sub', undefined],
    ['jti', { jti: 7 }],
  ])('%s is a text; of an ID token: %p', (name, ofIdToken) => {
    expect([presented(at(name, oneOf([7]))), byBrowser(at(name, oneOf([7])))]).toEqual([
      undefined,
      ofIdToken,
    ]);
    expect(presented(at(name, 'a value'))).toEqual({ [name]: 'x' });
  });

  test('the audience is texts', () => {
    expect([presented(at('aud', oneOf([true]))), byBrowser(at('aud', oneOf([true])))]).toEqual([
      undefined,
      undefined,
    ]);
    expect(presented(at('aud', oneOf(['x'])), at('aud', oneOf(['y'])))).toEqual({ aud: ['x', 'y'] });
  });

  test.each(['exp', 'nbf', 'iat'])('%s is a time, which only the clock can judge', (name) => {
    expect(() => presented(at(name, oneOf([7])))).toThrow(Undecidable);
    expect(() => claimsWith([], at(name, 'a value'), true)).toThrow(
      because({ kind: 'claim-is-time', claim: name }),
    );
    expect(presented(at(name, 'text'))).toBeUndefined();
    expect(byBrowser(at(name, oneOf([7])))).toEqual({ [name]: 7 });
  });

  test.each(['ISS', 'Aud'])('%s is not there', (name) => {
    expect([presented(at(name, 'a value')), byBrowser(at(name, 'a value'))]).toEqual([
      undefined,
      { [name]: 'x' },
    ]);
  });

  test('another name in capitals may be, and one like those of every object', () => {
    expect(presented(at('Team', 'text'))).toEqual({ Team: 'x' });
    expect(presented(at('constructor', 'text'))).toEqual({ constructor: 'x' });
  });
});

describe('what cannot be decided', () => {
  const deep = (names: number) => at(Array(names).fill('a').join('/'), 'text');

  test('is a place more than a hundred names deep', () => {
    expect(byBrowser(deep(100))).toBeDefined();
    expect(() => byBrowser(deep(101))).toThrow(because({ kind: 'claim-too-deep', claim: 'a', names: 101 }));
    expect(() => claimsWith([], deep(101), false)).toThrow(Undecidable);
  });

  test.each(['', '0', '+1', '-1', '0x1'])('is a claim as a list and at its position %j', (position) => {
    const inside = at(`a/${position}`, 'text');
    expect(() => byBrowser(at('a', 'texts'), inside)).toThrow(because({ kind: 'claim-is-list', claim: 'a' }));
    expect(() => byBrowser(at('a', 'texts'), at('a', 'a value'), inside)).toThrow(Undecidable);
    expect(() => byBrowser(at('a', 'texts'), inside, at('a/b', 'no value'))).toThrow(Undecidable);
    expect(byBrowser(at('a', { asks: 'equal', text: 'x' }), inside)).toBeUndefined();
  });

  test('is a bound claim at a position beyond what is bound', () => {
    expect(byBrowser(at('a', oneOf(['x'])), at('a/0', 'text'))).toEqual({ a: ['x'] });
    expect(() => byBrowser(at('a', oneOf(['x'])), at('a/1', 'text'))).toThrow(Undecidable);
  });

  test('is not a claim as a list and by a name', () => {
    expect(byBrowser(at('a', 'texts'), at('a/b', 'text'))).toBeUndefined();
  });

  test('is a pattern that takes too long, unless something else does', () => {
    const holes = (letters: string) => `*${[...letters].join('*')}*`;
    const lists = Array.from({ length: 6 }, (_, from) =>
      at('a', oneOf([holes('abcdefgh'.slice(from, from + 3).repeat(4))], true)),
    );
    const refused = at('a', oneOf([`${holes('hgfedcba'.repeat(3))}z`, '*x*', '*h'], true));
    expect(() => claimsWith([...lists, at('a', 'text')], refused, false)).toThrow(
      because({ kind: 'budget', of: 'patterns', claim: 'a' }),
    );
    expect(claimsWith(lists, refused, false)).toEqual({ a: expect.any(Array) });
  });
});
