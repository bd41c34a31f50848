import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type PropertyPath, parsePropertyPath, pathContains, resetPath } from '../src/property-path.ts';
import { type PropertyMap, Secret } from '../src/property-value.ts';

function path(text: string): PropertyPath {
  const parsed = parsePropertyPath(text);
  if (parsed === undefined) throw new Error(`not a path: ${text}`);
  return parsed;
}

describe('property paths (sdk/go/common/resource/property_path.go)', () => {
  test.each<[string, PropertyPath | undefined]>([
    ['a', ['a']],
    ['a.b', ['a', 'b']],
    ['a[0].b', ['a', 0, 'b']],
    ['a["b.c"]', ['a', 'b.c']],
    ['["a \\" b"]', ['a " b']],
    ['a.*', ['a', '*']],
    ['a[*].b', ['a', '*', 'b']],
    ['', undefined],
    ['a..b', undefined],
    ['.a', undefined],
    ['a[', undefined],
    ['a["b]', undefined],
    ['a]b', undefined],
  ])('%s', (text, expected) => {
    expect(parsePropertyPath(text)).toEqual(expected);
  });

  test('whatever the keys are, a path written with quotes is read back', () => {
    const segment = fc.oneof(fc.string({ minLength: 1 }), fc.nat(100));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const text = segments.map((part) => `[${JSON.stringify(part)}]`).join('');
        expect(parsePropertyPath(text)).toEqual(segments);
      }),
    );
  });

  test('no text makes it throw', () => {
    fc.assert(fc.property(fc.string(), (text) => void parsePropertyPath(text)));
  });

  test.each([
    ['a', 'a.b', true],
    ['a.b', 'a', false],
    ['a[*].c', 'a[3].c.d', true],
    ['a[1]', 'a[2]', false],
  ])('%s contains %s: %s', (outer, inner, expected) => {
    expect(pathContains(path(outer), path(inner))).toBe(expected);
  });
});

describe('setting back to old values (PropertyPath.Reset)', () => {
  test.each<[string, PropertyMap, PropertyMap, PropertyMap | undefined]>([
    ['a', { a: 1 }, { a: 2, b: 2 }, { a: 1, b: 2 }],
    ['a', {}, { a: 2 }, {}],
    ['a', { a: 1 }, {}, { a: 1 }],
    ['a.b', { a: { b: 1 } }, { a: { b: 2, c: 2 } }, { a: { b: 1, c: 2 } }],
    ['a.b', { a: { b: 1 } }, {}, undefined],
    ['a.b', {}, { a: { b: 1 } }, undefined],
    ['a.b', {}, {}, {}],
    ['a[1]', { a: [1, 2] }, { a: [3, 4] }, { a: [3, 2] }],
    ['a[*]', { a: [1, 2, 3] }, { a: [4] }, { a: [1, 2, 3] }],
    ['a[*].b', { a: [{ b: 1 }] }, { a: [{ b: 2, c: 2 }] }, { a: [{ b: 1, c: 2 }] }],
    ['a.*', { a: { b: 1 } }, { a: { b: 2, c: 2 } }, { a: { b: 1 } }],
    ['a.b', { a: new Secret({ b: 1 }) }, { a: new Secret({ b: 2 }) }, { a: new Secret({ b: 1 }) }],
    ['a.b', { a: 'text' }, { a: { b: 1 } }, undefined],
  ])('%s', (text, olds, news, expected) => {
    expect(resetPath(olds, news, path(text))).toEqual(expected);
  });

  test('leaves its arguments alone', () => {
    const olds = { a: { b: 1 } };
    const news = { a: { b: 2 } };
    resetPath(olds, news, path('a.b'));
    expect([olds, news]).toEqual([{ a: { b: 1 } }, { a: { b: 2 } }]);
  });
});
