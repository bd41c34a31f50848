import { expect, test } from '@jest/globals';
import { inertRows } from '../../../src/graph/resources/inert-types.ts';
import { officialTypes, unmodeled, unmodeledOf } from '../../../src/graph/resources/unmodeled.ts';
import { inertTypes } from '../../../src/graph/resources/writes.ts';

const inert = inertRows.flatMap(({ types }) => officialTypes(types));

test('each type whose writes are known is inert for a reason, or gives a credential: once', () => {
  // A row with `where` is what undoes an inert type.
  const giving = unmodeled.flatMap(({ types, where }) => (where === undefined ? officialTypes(types) : []));
  expect([...inert, ...giving].sort()).toEqual([...inertTypes].sort());
});

test('a type that only one of its settings undoes is inert without it', () => {
  const undone = unmodeled.flatMap(({ types, where }) => (where === undefined ? [] : officialTypes(types)));
  const byField = inertRows.filter(({ undoneBy }) => undoneBy.some(({ by }) => by === 'field'));
  expect(new Set(byField.flatMap(({ types }) => officialTypes(types)))).toEqual(new Set(undone));
});

test('a type that no table has is not taken for one that decides something', () => {
  expect(unmodeledOf('vault_policy')).toEqual([]);
});
