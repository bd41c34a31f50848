import { expect, test } from '@jest/globals';
import { inertReasons } from '../../../src/graph/resources/inert-types.ts';
import { officialTypes, unmodeled, unmodeledOf } from '../../../src/graph/resources/unmodeled.ts';
import { inertTypes } from '../../../src/graph/resources/writes.ts';

test('each type that gives no one access by itself has a reason, or a row of what a sign-in could hang on', () => {
  const looked = unmodeled.flatMap(({ types }) => officialTypes(types));
  expect([...inertReasons.keys(), ...looked].sort()).toEqual([...inertTypes].sort());
});

test('a type that no table has is not taken for one that decides something', () => {
  expect(unmodeledOf('vault_policy')).toBeUndefined();
});
