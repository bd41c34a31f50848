import { describe, expect, test } from '@jest/globals';
import { mayOverlap } from '../../../src/graph/policies/pattern-overlap.ts';

describe('patterns', () => {
  test.each([
    ['kv/a', 'kv/a', true],
    ['kv/a', 'kv/b', false],
    ['kv/*', 'kv/a/b', true],
    ['kv/*', 'kv', false],
    ['kv/a*', 'kv/ab/*', true],
    ['kv/a*', 'kv/b*', false],
    ['kv/ab*', 'kv/a*', true],
    ['kv/+/x', 'kv/a/x', true],
    ['kv/+/x', 'kv/a/y', false],
    ['kv/+/x', 'kv/a*', true],
    ['+/x', 'kv/*', true],
    ['kv/+', 'kv/a/b', false],
    ['*', 'anything/at/all', true],
    ['kv/{{identity.entity.name}}/x', 'kv/a', true],
  ])('%s and %s may meet: %s', (one, other, may) => {
    expect([mayOverlap(one, other), mayOverlap(other, one)]).toEqual([may, may]);
  });
});
