import { describe, expect, test } from '@jest/globals';
import { differenceLines } from '../../src/deployment/difference-lines.ts';
import type { PropertyChange } from '../../src/deployment/property-changes.ts';
import { hidden, Placeholder } from '../../src/deployment/shown-value.ts';

describe('property differences as lines', () => {
  const policy = ['path "a" {', '  capabilities = ["read"]', '}', ''];
  test.each<[string, PropertyChange, string[]]>([
    [
      'a value in its units',
      {
        path: 'ttl',
        replaces: false,
        kind: 'changed',
        old: new Placeholder('10m'),
        new: new Placeholder('15m'),
      },
      ['ttl: 10m → 15m'],
    ],
    [
      'a secret by its placeholder',
      { path: 'clientSecret', replaces: true, kind: 'changed', old: hidden, new: hidden },
      ['clientSecret: [secret] → [secret] (forces a replacement)'],
    ],
    [
      'a new value',
      { path: 'a', replaces: false, kind: 'added', new: { b: ['c'] } },
      ['a: – → { b: ["c"] }'],
    ],
    ['a value that goes', { path: 'a', replaces: false, kind: 'removed', old: null }, ['a: null → –']],
    [
      'entries of a list',
      { path: 'policies', replaces: false, kind: 'entries', added: ['b'], removed: ['a'] },
      ['policies: + "b", - "a"'],
    ],
    [
      'what only the plugin sees',
      { path: 'a', replaces: false, kind: 'differs' },
      ['a: differs on the service'],
    ],
    [
      'a text by its lines',
      {
        ...{ path: 'policy', replaces: false, kind: 'changed', old: policy.join('\n') },
        new: policy.with(1, '  capabilities = ["update"]').join('\n'),
      },
      ['policy:', '  -   capabilities = ["read"]', '  +   capabilities = ["update"]'],
    ],
  ])('%s', (_, change, lines) => {
    expect(differenceLines([change])).toEqual(lines);
  });

  test('are bounded, in lines and in their length', () => {
    const change = (index: number): PropertyChange => ({
      ...{ path: `p${index}`, replaces: false, kind: 'added', new: '😀'.repeat(1000) },
    });
    const lines = differenceLines(Array.from({ length: 40 }, (_, index) => change(index)));
    expect(lines).toHaveLength(31);
    expect(lines.at(-1)).toBe('… and 10 more lines');
    expect(lines.every((line) => line.length <= 300 && line.isWellFormed())).toBe(true);
  });
});
