import { expect, test } from '@jest/globals';
import { type PolicyDescription, reconciled } from '../../../engine/policies/policy-config.ts';

const policies: PolicyDescription[] = [
  { name: 'a', level: 'mandatory' },
  {
    name: 'b',
    level: 'advisory',
    schema: { properties: { most: { type: 'integer', default: 3 } }, required: [] },
  },
];
const by = (config: Parameters<typeof reconciled>[1][number]['config']) => [{ from: 'file', config }];
const levelsOf = (result: ReturnType<typeof reconciled>) =>
  Object.fromEntries([...result].map(([name, { level }]) => [name, level]));

test('what a pack says of itself holds, with the defaults of its schema', () => {
  const result = reconciled(policies, []);
  expect(levelsOf(result)).toEqual({ a: 'mandatory', b: 'advisory' });
  expect(result.get('b')?.properties).toEqual({ most: 3 });
});

test('"all" sets every level, and a policy’s own setting is stronger', () => {
  const config = new Map([
    ['b', { level: 'disabled' as const, properties: {} }],
    ['all', { level: 'advisory' as const, properties: {} }],
  ]);
  expect(levelsOf(reconciled(policies, by(config)))).toEqual({ a: 'advisory', b: 'disabled' });
});

test('what is set later is stronger', () => {
  const set = (level: 'advisory' | 'disabled') => new Map([['a', { level, properties: {} }]]);
  const settings = [...by(set('disabled')), ...by(set('advisory'))];
  expect(levelsOf(reconciled(policies, settings))).toEqual({ a: 'advisory', b: 'advisory' });
});

test('a property that the schema requires must be there', () => {
  const strict: PolicyDescription[] = [
    {
      name: 'c',
      level: 'mandatory',
      schema: { properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ];
  expect(() => reconciled(strict, [])).toThrow('policy "c" is not what its pack asks for');
});
