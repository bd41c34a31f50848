import { describe, expect, test } from '@jest/globals';
import { differenceLines } from '../../src/deployment/difference-lines.ts';
import type { PropertyChange } from '../../src/deployment/property-changes.ts';
import { hidden, Placeholder } from '../../src/deployment/shown-value.ts';

describe('property differences as lines', () => {
  const policy = ['path "a" {', '  capabilities = ["read"]', '}', ''];
  const [old, changed] = [policy, policy.with(1, '  capabilities = ["update"]')].map((lines) =>
    lines.join('\n'),
  );
  const [short, long] = ['10m', '15m'].map((text) => new Placeholder(text));
  type Change = { path: string; kind: PropertyChange['kind']; [field: string]: unknown };
  test.each<[string, Change, ...string[]]>([
    ['a value in its units', { path: 'ttl', kind: 'changed', old: short, new: long }, 'ttl: 10m → 15m'],
    ['a secret', { path: 'key', kind: 'changed', old: hidden, new: hidden }, 'key: [secret] → [secret]'],
    ['a new value', { path: 'a', kind: 'added', new: { b: ['c'] } }, 'a: – → { b: ["c"] }'],
    ['a value that goes', { path: 'a', kind: 'removed', old: null }, 'a: null → –'],
    ['entries of a list', { path: 'a', kind: 'entries', added: ['c'], removed: ['b'] }, 'a: + "c", - "b"'],
    ['what only the plugin sees', { path: 'a', kind: 'differs' }, 'a: differs on the service'],
    [
      'a text by its lines',
      { path: 'policy', kind: 'changed', old, new: changed },
      'policy:',
      '  -   capabilities = ["read"]',
      '  +   capabilities = ["update"]',
    ],
  ])('%s', (_, change, ...lines) => {
    expect(differenceLines([{ replaces: false, ...change } as PropertyChange])).toEqual(lines);
  });

  test('say what forces a replacement', () => {
    const change: PropertyChange = { path: 'key', replaces: true, kind: 'added', new: 1 };
    expect(differenceLines([change])).toEqual(['key: – → 1 (forces a replacement)']);
  });

  test('are bounded, in lines and in their length', () => {
    const change = (index: number): PropertyChange => ({
      path: `p${index}`,
      replaces: false,
      kind: 'added',
      new: '😀'.repeat(1000),
    });
    const lines = differenceLines(Array.from({ length: 40 }, (_, index) => change(index)));
    expect(lines).toHaveLength(31);
    expect(lines.at(-1)).toBe('… and 10 more lines');
    expect(lines.every((line) => line.length <= 300 && line.isWellFormed())).toBe(true);
  });
});
