import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { planDigest } from '../../src/run-task/plan-digest.ts';

describe('the digest of a plan', () => {
  test('is that of what it says, not of how it is laid out', () => {
    const one = JSON.parse('{"b": [1, {"d": null, "c": "x"}], "a": true}');
    const other = JSON.parse('{"a":true,"b":[1,{"c":"x","d":null}]}');
    expect(planDigest(one)).toBe(planDigest(other));
    expect(planDigest(one)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is the same for two plans only where they say the same', () => {
    const canonical = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(canonical)
        : typeof value === 'object' && value !== null
          ? Object.entries(value)
              .map(([key, inner]) => [key, canonical(inner)] as const)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .concat([['is an object', true]])
          : value;
    // Small values, so that equal ones come up.
    const json = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', '"', ',') });
    fc.assert(
      fc.property(json, json, (a, b) => {
        const same = JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));
        expect(planDigest(a) === planDigest(b)).toBe(same);
      }),
      { numRuns: 2000 },
    );
  });
});
