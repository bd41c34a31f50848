import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isEqualData } from '../../../src/graph/values/equal-data.ts';

/** Names that mean something to objects, or to libraries that compare them. */
const names =
  '__proto__ constructor valueOf toString toJSON then length 0 a b $$typeof _owner __v __o hasOwnProperty prototype equals size'.split(
    ' ',
  );
const numbers = [0, -0, 1, Number.NaN, Number.POSITIVE_INFINITY, 5n, 0n];
const leaf = fc.constantFrom<unknown>(undefined, null, true, false, '', '0', 'a', ...numbers);
const data = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** The same data, with its keys in another order; one value of it may be another. */
function copied(value: unknown, changeAt: { left: number }): unknown {
  if (changeAt.left-- === 0) return 'another';
  if (Array.isArray(value)) return value.map((part) => copied(part, changeAt));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = Object.create(Object.getPrototypeOf(value));
  for (const key of Object.keys(value).reverse()) {
    const part = copied((value as Record<string, unknown>)[key], changeAt);
    Object.defineProperty(copy, key, { value: part, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

describe('data is equal where Node.js says so', () => {
  test('for any two values', () => {
    fc.assert(
      fc.property(data, data, (left, right) => {
        expect(isEqualData(left, right)).toBe(isDeepStrictEqual(left, right));
      }),
      { numRuns: 2000 },
    );
  });

  test('for a copy, and for one with a change', () => {
    fc.assert(
      fc.property(data, fc.integer({ min: -1, max: 8 }), (value, left) => {
        const other = copied(value, { left });
        expect(isEqualData(value, other)).toBe(isDeepStrictEqual(value, other));
        expect(isEqualData(other, value)).toBe(isDeepStrictEqual(value, other));
      }),
      { numRuns: 2000 },
    );
  });

  test.each<[what: string, left: unknown, right: unknown]>([
    ['a key with undefined and none', { a: undefined }, {}],
    ['keys with undefined', { a: undefined }, { b: undefined }],
    ['a list and an object', [1], { 0: 1, length: 1 }],
    ['numbers and texts', { a: 1 }, { a: '1' }],
    ['zeros', [0], [-0]],
    ['no numbers', [Number.NaN], [Number.NaN]],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['two of these', Object.create(null), Object.create(null)],
    ['groups', Object.groupBy(['a'], () => 'x'), Object.groupBy(['a'], () => 'x')],
    [
      'what a plan says of its own constructor',
      JSON.parse('{"constructor":{}}'),
      JSON.parse('{"constructor":{}}'),
    ],
    [
      'what it says of its prototype',
      JSON.parse('{"__proto__":{"a":1}}'),
      JSON.parse('{"__proto__":{"a":2}}'),
    ],
    [
      'names of a library for pages',
      JSON.parse('{"$$typeof":1,"_owner":1}'),
      JSON.parse('{"$$typeof":1,"_owner":2}'),
    ],
    ['a name that is called', JSON.parse('{"valueOf":1}'), JSON.parse('{"valueOf":1}')],
  ])('for %s', (_, left, right) => {
    expect(isEqualData(left, right)).toBe(isDeepStrictEqual(left, right));
  });
});

test('what is no data is equal to itself alone', () => {
  const date = new Date(0);
  expect([isEqualData(date, date), isEqualData(date, new Date(0))]).toEqual([true, false]);
  expect(isEqualData(new Map(), new Map())).toBe(false);
});
