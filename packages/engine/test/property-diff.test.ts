import { describe, expect, test } from '@jest/globals';
import { diffInputs, invertDetailedDiff } from '../src/property-diff.ts';
import {
  type PropertyMap,
  type PropertyValue,
  ResourceReference,
  Secret,
  Unknown,
} from '../src/property-value.ts';

describe('what differs (sdk/go/common/resource/properties.go, DeepEquals)', () => {
  test.each<[string, PropertyValue, PropertyValue, boolean]>([
    ['a map in another order', { a: 1, b: [1] }, { b: [1], a: 1 }, true],
    ['a list in another order', [1, 2], [2, 1], false],
    ['a secret and its plain value', new Secret('x'), 'x', false],
    ['two secrets of one value', new Secret(['x']), new Secret(['x']), true],
    ['two unknown values', Unknown.value, Unknown.value, true],
    ['an unknown value and a map', Unknown.value, {}, false],
    ['a list and a map', [], {}, false],
    ['null and false', null, false, false],
    ['two references', new ResourceReference('u', 'i'), new ResourceReference('u', 'i'), true],
    ['references to different ids', new ResourceReference('u', 'i'), new ResourceReference('u', 'j'), false],
  ])('%s', (_, a, b, expected) => {
    const keys = expected ? [] : ['x'];
    expect([diffInputs({ x: a }, { x: b }).keys, diffInputs({ x: b }, { x: a }).keys]).toEqual([keys, keys]);
  });
});

describe('diffInputs (sdk/go/common/resource/plugin/provider.go, NewDetailedDiffFromObjectDiff)', () => {
  test.each<[string, PropertyMap, PropertyMap, string[], Record<string, string>]>([
    ['added', {}, { a: 1 }, ['a'], { a: 'add' }],
    ['deleted', { a: 1 }, {}, ['a'], { a: 'delete' }],
    ['a nested key', { a: { b: 1, c: 1 } }, { a: { b: 2, c: 1 } }, ['a'], { 'a.b': 'update' }],
    ['a key with a dot', { a: { 'b.c': 1 } }, { a: {} }, ['a'], { 'a["b.c"]': 'delete' }],
    ['a list that grew', { a: [1] }, { a: [1, 2] }, ['a'], { 'a[1]': 'add' }],
    ['another shape', { a: [1] }, { a: { b: 1 } }, ['a'], { a: 'update' }],
    ['nothing', { a: [1] }, { a: [1] }, [], {}],
  ])('%s', (_, olds, news, keys, detailed) => {
    const diff = diffInputs(olds, news);
    expect(diff.keys).toEqual(keys);
    expect(Object.fromEntries(Object.entries(diff.detailed).map(([path, { kind }]) => [path, kind]))).toEqual(
      detailed,
    );
  });

  test('seen from the other side, what was added is deleted', () => {
    expect(
      invertDetailedDiff({
        a: { kind: 'add', inputDiff: false },
        b: { kind: 'update-replace', inputDiff: true },
      }),
    ).toEqual({ a: { kind: 'delete', inputDiff: false }, b: { kind: 'update-replace', inputDiff: true } });
  });
});
