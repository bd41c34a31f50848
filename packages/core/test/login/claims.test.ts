import { describe, expect, test } from '@jest/globals';
import { claim, inside, listOf, own, placeOf, withClaim } from '../../src/login/claims.ts';

// As OpenBao reads them: packages/core/test/login/openbao-cases.ts has the same questions for a real server.
describe('the value of a claim', () => {
  test.each([
    ['a', { a: 'x' }, 'x'],
    ['/a/b', { a: { b: 'x' }, '/a/b': 'y' }, 'x'],
    ['/a~1b/c~0d', { 'a/b': { 'c~d': 'x' } }, 'x'],
    ['a/b', { 'a/b': 'x', a: { b: 'y' } }, 'x'],
    ['aud', { aud: 'x' }, ['x']],
    ['aud', { aud: ['x'] }, ['x']],
    ['/aud', { aud: 'x' }, 'x'],
    ['a', { a: 'x', aud: 'y' }, 'x'],
    ['a', { a: null }, undefined],
    ['a', { a: false }, false],
    ['constructor', {}, undefined],
    ['/a/length', { a: 'x' }, undefined],
  ])('%s in %j is %j', (name, claims, value) => {
    expect(claim(claims, name)).toEqual(value);
  });

  test.each([
    [7, 7],
    [7.9, 7],
    [-7.9, -7],
    [2 ** 62, 2 ** 62],
    [2 ** 63 - 1024, 2 ** 63 - 1024],
    [2 ** 63, -(2 ** 63)],
    [-(2 ** 63), -(2 ** 63)],
    [1e300, -(2 ** 63)],
  ])('the number %d is %d in 64 bits', (given, value) => {
    expect(claim({ a: given }, 'a')).toBe(value);
  });

  test('by its name alone may look like a pointer', () => {
    expect(own({ '/a/b': 'x', a: { b: 'y' } }, '/a/b')).toBe('x');
    expect(own({}, 'constructor')).toBeUndefined();
  });
});

describe('a step of a pointer', () => {
  const letters = [...'abcdefghijklm'];
  test.each([
    ['', 'a'],
    ['0', 'a'],
    ['+0', 'a'],
    ['-0', 'a'],
    ['1', 'b'],
    ['+1', 'b'],
    ['10', 'k'],
    ['010', 'i'],
    ['0x0a', 'k'],
    ['-1', undefined],
    ['08', undefined],
    ['x', undefined],
    ['13', undefined],
    ['length', undefined],
  ])('%j into a list leads to %s', (step, value) => {
    expect(inside(letters, step)).toBe(value);
  });

  test.each([[null], [undefined], ['text'], [7]])('leads nowhere in %j', (value) => {
    expect(inside(value, 'a')).toBeUndefined();
  });

  test('is between slashes, and a plain name is one', () => {
    expect([placeOf('/a/b~01'), placeOf('a/b'), placeOf('/')]).toEqual([['a', 'b~1'], ['a/b'], ['']]);
  });
});

describe('claims with another value', () => {
  test.each([
    ['a', { b: 1 }, { a: 'new', b: 1 }],
    ['/a', { a: 1, b: 1 }, { a: 'new', b: 1 }],
    ['/a/b', { a: { b: 1, c: 1 } }, { a: { b: 'new', c: 1 } }],
    ['/a/b~1c', { a: {} }, { a: { 'b/c': 'new' } }],
    ['/a/b', { c: 1 }, { c: 1 }],
    ['/a/b', { a: null }, { a: null }],
    ['/a/b', { a: 'text' }, { a: 'text' }],
    ['/a/0', { a: ['x'] }, { a: ['x'] }],
  ])('at %s of %j are %j', (name, claims, changed) => {
    expect(withClaim(claims, name, 'new')).toEqual(changed);
  });

  test('leave those that were given as they are', () => {
    const given = { a: { b: 1 } };
    withClaim(given, '/a/b', 2);
    expect(given).toEqual({ a: { b: 1 } });
  });

  test('can be changed again, and have the name of a prototype as any other', () => {
    const once = withClaim({ a: {} }, '/a/__proto__', 1);
    expect(JSON.stringify(once)).toBe('{"a":{"__proto__":1}}');
    expect(JSON.stringify(withClaim(once, '/a/__proto__', 2))).toBe('{"a":{"__proto__":2}}');
    const [inner] = Object.values(once);
    expect(Object.getOwnPropertyDescriptor(inner, '__proto__')).toMatchObject({
      writable: true,
      enumerable: true,
      configurable: true,
    });
  });
});

test.each([
  ['x', ['x']],
  [7, [7]],
  [false, [false]],
  [
    ['x', 7],
    ['x', 7],
  ],
  [{}, undefined],
  [null, undefined],
])('%j as a list is %j', (value, list) => {
  expect(listOf(value)).toEqual(list);
});

// https://pkg.go.dev/strconv#Quote
