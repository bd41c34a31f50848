import { describe, expect, test } from '@jest/globals';
import {
  namespaceAbove,
  namespacePath,
  namespaceWithin,
  patternWithin,
} from '../../../src/graph/values/namespace-path.ts';

test.each(['shop', 'shop/web', 'Ü', '-a'])('a namespace may be called %s', (path) => {
  expect(namespacePath.safeParse(path).success).toBe(true);
});

test.each(['', '/shop', 'shop/', 'a//b', 'a b', 'sys', 'shop/auth', '..', 'a/..', '*', '+', 'a"b', 'a\nb'])(
  'no namespace is called %j',
  (path) => {
    expect(namespacePath.safeParse(path).success).toBe(false);
  },
);

describe('what a pattern means inside a namespace', () => {
  test.each([
    ['shop/secret/x', 'shop', 'secret/x'],
    ['+/secret/x', 'shop', 'secret/x'],
    ['shop/+/x', 'shop/web', 'x'],
    ['*', 'shop', '*'],
    ['sh*', 'shop/web', '*'],
    ['shop/*', 'shop', '*'],
    ['shop/we*', 'shop', 'we*'],
    ['shop/we*', 'shop/web', '*'],
    ['secret/x', 'shop', undefined],
    ['shop', 'shop', undefined],
    ['shopping/x', 'shop', undefined],
    ['ba*', 'shop', undefined],
  ])('%s in %s is %s', (pattern, namespace, expected) => {
    expect(patternWithin(pattern, namespace)).toBe(expected);
  });
});

test('the namespace above is that of all names but the last', () => {
  expect(['shop', 'shop/web'].map(namespaceAbove)).toEqual(['', 'shop']);
});

test('a path below an outer namespace loses that, and any other stays whole', () => {
  expect(namespaceWithin('platform', 'platform/shop')).toBe('shop');
  expect(namespaceWithin('platform', 'platform')).toBe('');
  expect(namespaceWithin('plat', 'platform')).toBe('platform');
  expect(namespaceWithin('', 'shop')).toBe('shop');
});
